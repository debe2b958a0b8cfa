package dev.pitwall.recorders.python;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The text of Python source, which need not be UTF-8.
final class SourceText {
  /// The line that declares an encoding, among the first two; pattern of PEP 263.
  private static final Pattern DECLARATION =
      Pattern.compile("\\A(?:[^\\n]*\\n)?[ \\t\\f]*#[^\\n]*?coding[:=][ \\t]*([-_.a-zA-Z0-9]+)");

  private SourceText() {}

  /// As UTF-8; what is not, in the encoding that it declares, or else as Latin-1, in which every
  /// byte is a character.
  static String decode(byte[] bytes) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return text.startsWith("\uFEFF") ? text.substring(1) : text;
    } catch (CharacterCodingException otherEncoding) {
      return new String(bytes, declared(new String(bytes, StandardCharsets.ISO_8859_1)));
    }
  }

  private static Charset declared(String text) {
    Matcher declaration = DECLARATION.matcher(text);
    if (!declaration.find()) {
      return StandardCharsets.ISO_8859_1;
    }
    try {
      Charset charset = Charset.forName(declaration.group(1));
      return charset.equals(StandardCharsets.UTF_8) ? StandardCharsets.ISO_8859_1 : charset;
    } catch (IllegalCharsetNameException | UnsupportedCharsetException unknown) {
      return StandardCharsets.ISO_8859_1;
    }
  }
}
