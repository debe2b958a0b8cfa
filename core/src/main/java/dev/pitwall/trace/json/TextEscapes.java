package dev.pitwall.trace.json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Decodes the escapes of JSON texts into UTF-8. A backslash that begins no escape stays as it is
/// (as in paths of Windows that nobody escaped) and is counted.
final class TextEscapes {
  private byte[] decoded = new byte[256];
  private int length;
  private long loneBackslashes;

  /// The buffer that [#decode] filled.
  byte[] decoded() {
    return decoded;
  }

  long loneBackslashes() {
    return loneBackslashes;
  }

  /// Decodes a text into [#decoded] and returns its length there.
  int decode(byte[] bytes, int from, int count) {
    length = 0;
    if (decoded.length < count + 4) {
      decoded = Arrays.copyOf(decoded, 2 * count + 4);
    }
    int end = from + count;
    int at = from;
    while (at < end) {
      byte b = bytes[at++];
      if (b != '\\' || at == end) {
        decoded[length++] = b;
        continue;
      }
      byte escape = bytes[at++];
      switch (escape) {
        case '"', '\\', '/' -> decoded[length++] = escape;
        case 'b' -> decoded[length++] = '\b';
        case 'f' -> decoded[length++] = '\f';
        case 'n' -> decoded[length++] = '\n';
        case 'r' -> decoded[length++] = '\r';
        case 't' -> decoded[length++] = '\t';
        case 'u' -> at = unicode(bytes, at, end);
        default -> {
          loneBackslashes++;
          decoded[length++] = '\\';
          decoded[length++] = escape;
        }
      }
    }
    return length;
  }

  private int unicode(byte[] bytes, int at, int end) {
    int unit = hexadecimal(bytes, at, end);
    if (unit < 0) {
      loneBackslashes++;
      decoded[length++] = '\\';
      decoded[length++] = 'u';
      return at;
    }
    int next = at + 4;
    int codePoint = unit;
    if (Character.isHighSurrogate((char) unit)
        && next + 1 < end
        && bytes[next] == '\\'
        && bytes[next + 1] == 'u') {
      int low = hexadecimal(bytes, next + 2, end);
      if (low >= 0 && Character.isLowSurrogate((char) low)) {
        codePoint = Character.toCodePoint((char) unit, (char) low);
        next += 6;
      }
    }
    if (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE) {
      codePoint = 0xFFFD;
    }
    for (byte b : Character.toString(codePoint).getBytes(StandardCharsets.UTF_8)) {
      decoded[length++] = b;
    }
    return next;
  }

  private static int hexadecimal(byte[] bytes, int at, int end) {
    if (at + 4 > end) {
      return -1;
    }
    int value = 0;
    for (int i = at; i < at + 4; i++) {
      int digit = Character.digit(bytes[i], 16);
      if (digit < 0) {
        return -1;
      }
      value = value * 16 + digit;
    }
    return value;
  }
}
