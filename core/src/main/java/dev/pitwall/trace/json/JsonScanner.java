package dev.pitwall.trace.json;

import dev.pitwall.error.PitwallException;
import dev.pitwall.trace.Names;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/// Reads JSON forwards, a token at a time, without building values.
///
/// It accepts all JSON and, on purpose, more, since profilers write more: `NaN`, `inf`, `N/A` and
// any
/// other bare word as a scalar; missing and doubled commas; raw control characters and lone
/// backslashes in texts; and quotes inside a text that nobody escaped. A quote ends a text only
// where
/// what follows can follow a text at that place: `:` after a key, `,` and another key or `}` after
// a
/// member's value, `,` or `]` after an element. Valid JSON always satisfies this, so nothing valid
// is
/// read differently.
///
/// A caller asks for what it expects ([#enterObject], [#nextKey], [#nanos], [#intern], …). Each
// either
/// consumes it or throws [MalformedJson]; [#rewindToMark] and [#skipToNextElement] then go on.
public final class JsonScanner {
  /// Where a text stands, which decides what may follow its closing quote.
  private enum Place {
    KEY,
    MEMBER,
    ANYWHERE
  }

  /// What [#integer] and [#nanos] return where the file has no such number.
  public static final long ABSENT = DecimalText.ABSENT;

  /// Real traces nest 7 deep.
  private static final int DEEPEST_NESTING = 512;

  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGHS = 0x8080808080808080L;
  private static final long QUOTES = '"' * ONES;
  private static final long BACKSLASHES = '\\' * ONES;
  private static final long SPACES = ' ' * ONES;

  private final ByteWindow window;
  private final TextEscapes escapes = new TextEscapes();
  private int tokenLength;
  private boolean tokenIsText;
  private boolean tokenHasEscapes;
  private long strayQuotes;
  private long controlCharacters;

  public JsonScanner(InputStream source) {
    window = new ByteWindow(source);
  }

  /// Offset of the next byte in the (decompressed) stream.
  public long offset() {
    return window.offset();
  }

  /// Quotes that stood inside texts without a backslash.
  public long strayQuotes() {
    return strayQuotes;
  }

  /// Control characters that stood raw inside texts.
  public long controlCharacters() {
    return controlCharacters;
  }

  /// Backslashes inside texts that begin no escape of JSON.
  public long loneBackslashes() {
    return escapes.loneBackslashes();
  }

  /// Remembers this place for [#rewindToMark].
  public void mark() {
    window.mark();
  }

  /// Goes back to the mark; false where it is too far behind.
  public boolean rewindToMark() {
    return window.rewindToMark();
  }

  /// The next byte that is not white space, not consumed; -1 at the end.
  public int peek() {
    ByteWindow w = window;
    while (true) {
      byte[] bytes = w.bytes;
      int limit = w.limit;
      for (int at = w.position; at < limit; at++) {
        byte b = bytes[at];
        if (b > ' ' || b < 0) {
          w.position = at;
          return b & 0xFF;
        }
      }
      w.position = limit;
      w.tokenStart = limit;
      if (!w.fill()) {
        return -1;
      }
    }
  }

  /// Consumes one byte that [#peek] has shown.
  public void advance() {
    window.position++;
  }

  /// Consumes `{`.
  public void enterObject() throws MalformedJson {
    expect('{');
  }

  /// Consumes `[`.
  public void enterArray() throws MalformedJson {
    expect('[');
  }

  private void expect(char opening) throws MalformedJson {
    int found = peek();
    if (found != opening) {
      throw malformed("no '" + opening + "'", found);
    }
    window.position++;
  }

  /// Inside an object: reads the next key and its colon, for [#keyFingerprint] and [#keyIs].
  ///
  /// @return false where the object ended instead; its `}` is consumed
  public boolean nextKey() throws MalformedJson {
    int next = peekPastCommas();
    if (next == '}') {
      window.position++;
      return false;
    }
    if (next != '"') {
      throw malformed("no key", next);
    }
    window.position++;
    scanText(Place.KEY);
    int colon = following(0);
    if (colon != ':') {
      throw malformed("no ':' after a key", colon);
    }
    window.position += skippedByFollowing + 1;
    return true;
  }

  /// Inside an array: whether another element stands here; its closing `]` is consumed.
  public boolean nextElement() throws MalformedJson {
    int next = peekPastCommas();
    if (next == ']') {
      window.position++;
      return false;
    }
    if (next < 0) {
      throw malformed("no element", next);
    }
    return true;
  }

  private int peekPastCommas() {
    int next = peek();
    while (next == ',') {
      window.position++;
      next = peek();
    }
    return next;
  }

  /// Sixty-four bits of the key just read: its length, its first and its last bytes. Keys of up to
  /// eight bytes have a fingerprint of their own; longer ones are told apart by [#keyIs].
  public long keyFingerprint() {
    return fingerprint(window.bytes, window.tokenStart, tokenLength);
  }

  /// The fingerprint of a key in a table.
  public static long fingerprint(byte[] padded, int from, int length) {
    long first = (long) WORD.get(padded, from);
    if (length >= 8) {
      long last = (long) WORD.get(padded, from + length - 8);
      return (first * 31 + last) * 31 + length;
    }
    return (first & ~(-1L << (8 * length))) * 31 * 31 + length;
  }

  /// Whether the key just read has exactly these bytes.
  public boolean keyIs(byte[] key) {
    ByteWindow w = window;
    if (tokenLength != key.length) {
      return false;
    }
    for (int i = 0; i < key.length; i++) {
      if (w.bytes[w.tokenStart + i] != key[i]) {
        return false;
      }
    }
    return true;
  }

  /// The key or value just read, as text.
  public String tokenText() {
    ByteWindow w = window;
    if (tokenHasEscapes) {
      int length = escapes.decode(w.bytes, w.tokenStart, tokenLength);
      return new String(escapes.decoded(), 0, length, StandardCharsets.UTF_8);
    }
    return new String(w.bytes, w.tokenStart, tokenLength, StandardCharsets.UTF_8);
  }

  /// Reads a value and returns it as text: a text decoded, anything else as it is written.
  public String text() throws MalformedJson {
    scanValue();
    return tokenText();
  }

  /// Reads a value and interns it: a text decoded, anything else as it is written. `null` is 0.
  public int intern(Names names) throws MalformedJson {
    scanValue();
    return internToken(names);
  }

  /// Interns the value that was just read.
  public int internToken(Names names) {
    ByteWindow w = window;
    if (tokenHasEscapes) {
      int length = escapes.decode(w.bytes, w.tokenStart, tokenLength);
      return names.intern(escapes.decoded(), 0, length);
    }
    return tokenIsNull() ? 0 : names.intern(w.bytes, w.tokenStart, tokenLength);
  }

  /// Reads a value as an integer of up to 64 bits, also from a text, hexadecimal or with a
  // fraction,
  /// which is cut; [#ABSENT] where it is none.
  public long integer() throws MalformedJson {
    scanValue();
    return DecimalText.integer(window.bytes, window.tokenStart, tokenLength);
  }

  /// Reads a value in microseconds, also from a text, as nanoseconds, rounded to the nearest;
  /// [#ABSENT] where it is none. Never goes through a double, which holds a present-day timestamp
  /// only to a quarter of a microsecond.
  public long nanos() throws MalformedJson {
    scanValue();
    return DecimalText.nanosOfMicros(window.bytes, window.tokenStart, tokenLength);
  }

  /// Reads a value and returns its first byte if it is a bare word, 0 otherwise: tells `true` and
  /// `false` without a text.
  public int firstByte() throws MalformedJson {
    scanValue();
    return tokenLength == 0 ? 0 : window.bytes[window.tokenStart] & 0xFF;
  }

  /// Whether the value just read was `null`, or nothing at all.
  public boolean tokenIsNull() {
    ByteWindow w = window;
    return tokenLength == 0
        || (!tokenIsText
            && tokenLength == 4
            && w.bytes[w.tokenStart] == 'n'
            && w.bytes[w.tokenStart + 1] == 'u');
  }

  /// Reads a value and forgets it.
  public void skip() throws MalformedJson {
    scanValue();
  }

  private void scanValue() throws MalformedJson {
    int first = peek();
    ByteWindow w = window;
    tokenHasEscapes = false;
    tokenIsText = false;
    switch (first) {
      case '"' -> {
        w.position++;
        scanText(Place.MEMBER);
        tokenIsText = true;
      }
      case '{', '[' -> scanNested();
      case ',', '}', ']', ':', -1 -> throw malformed("no value", first);
      default -> scanBareWord();
    }
  }

  private void scanBareWord() {
    ByteWindow w = window;
    w.tokenStart = w.position;
    while (true) {
      byte[] bytes = w.bytes;
      int limit = w.limit;
      int at = w.position;
      while (at < limit) {
        byte b = bytes[at];
        if (b == ',' || b == '}' || b == ']' || (b <= ' ' && b >= 0)) {
          w.position = at;
          tokenLength = at - w.tokenStart;
          return;
        }
        at++;
      }
      w.position = at;
      if (!w.fill()) {
        tokenLength = w.position - w.tokenStart;
        return;
      }
    }
  }

  /// Consumes a whole object or array; the token is its text as written.
  private void scanNested() throws MalformedJson {
    ByteWindow w = window;
    int start = w.position;
    w.tokenStart = start;
    int depth = 0;
    while (true) {
      if (w.position == w.limit && !w.fill()) {
        throw malformed("no end of an object or array", -1);
      }
      byte b = w.bytes[w.position++];
      switch (b) {
        case '"' -> skipNestedText();
        case '{', '[' -> {
          if (++depth > DEEPEST_NESTING) {
            throw PitwallException.unreadable(
                "At byte "
                    + offset()
                    + " the file nests deeper than 512 levels; this is no trace that a profiler"
                    + " wrote.");
          }
        }
        case '}', ']' -> {
          if (--depth == 0) {
            tokenLength = w.position - w.tokenStart;
            tokenHasEscapes = false;
            return;
          }
        }
        default -> {}
      }
    }
  }

  private void skipNestedText() throws MalformedJson {
    scanTo(Place.ANYWHERE);
    window.position++;
  }

  /// Reads a text whose opening quote is consumed; the token is what stands between the quotes.
  private void scanText(Place place) throws MalformedJson {
    ByteWindow w = window;
    w.tokenStart = w.position;
    tokenHasEscapes = false;
    scanTo(place);
    tokenLength = w.position - w.tokenStart;
    w.position++;
  }

  /// Moves to the quote that ends a text.
  private void scanTo(Place place) throws MalformedJson {
    ByteWindow w = window;
    while (true) {
      w.position = nextSpecial(w.bytes, w.position, w.limit);
      if (w.position >= w.limit) {
        w.position = w.limit;
        if (!w.fill()) {
          throw malformed("no end of a text", -1);
        }
        continue;
      }
      byte b = w.bytes[w.position];
      if (b == '"') {
        if (endsText(place)) {
          return;
        }
        strayQuotes++;
        w.position++;
      } else if (b == '\\') {
        tokenHasEscapes = true;
        w.position += 2;
        if (w.position > w.limit) {
          w.position = w.limit;
          if (!w.fill()) {
            throw malformed("no end of a text", -1);
          }
          w.position++;
        }
      } else {
        controlCharacters++;
        w.position++;
      }
    }
  }

  /// First place from `at` on of a quote, a backslash or a control character, eight bytes at a time
  /// (the zero-byte test of Mycroft; its lowest set bit is exact). `limit` or more where there is
  /// none.
  private static int nextSpecial(byte[] bytes, int at, int limit) {
    while (at < limit) {
      long word = (long) WORD.get(bytes, at);
      long quote = word ^ QUOTES;
      long backslash = word ^ BACKSLASHES;
      long hits =
          (((quote - ONES) & ~quote)
                  | ((backslash - ONES) & ~backslash)
                  | ((word - SPACES) & ~word))
              & HIGHS;
      if (hits != 0) {
        return at + (Long.numberOfTrailingZeros(hits) >>> 3);
      }
      at += 8;
    }
    return limit;
  }

  private boolean endsText(Place place) {
    int next = following(1);
    return switch (place) {
      case KEY -> next == ':' || next < 0;
      case MEMBER -> {
        if (next == ',') {
          int afterComma = following(skippedByFollowing + 1);
          yield afterComma == '"' || afterComma == '}' || afterComma == ',' || afterComma < 0;
        }
        yield next == '}' || next == ']' || next < 0;
      }
      case ANYWHERE -> next == ',' || next == ':' || next == ']' || next == '}' || next < 0;
    };
  }

  /// How far ahead of the position the last call of [#following] found its byte.
  private int skippedByFollowing;

  /// The first byte that is not white space from `ahead` bytes after the position on; nothing is
  /// consumed and the token stays. -1 at the end.
  private int following(int ahead) {
    ByteWindow w = window;
    while (true) {
      int at = w.position + ahead;
      if (at >= w.limit) {
        if (!w.fill()) {
          skippedByFollowing = ahead;
          return -1;
        }
        continue;
      }
      byte b = w.bytes[at];
      if (b > ' ' || b < 0) {
        skippedByFollowing = ahead;
        return b & 0xFF;
      }
      ahead++;
    }
  }

  /// After something malformed inside an array of objects: goes to the next place that looks like
  // the
  /// start of an element, a `{` with a key behind it and a `,` or `[` before it.
  ///
  /// @return false where there is none
  public boolean skipToNextElement() {
    int before = 0;
    while (true) {
      int next = peek();
      window.tokenStart = window.position;
      if (next < 0) {
        return false;
      }
      if (next == '{' && (before == ',' || before == '[') && following(1) == '"') {
        return true;
      }
      before = next;
      window.position++;
    }
  }

  /// After something malformed: goes behind the next place where this text stands.
  ///
  /// @return false where there is none
  public boolean skipBehind(byte[] text) {
    int matched = 0;
    ByteWindow w = window;
    while (true) {
      w.tokenStart = w.position;
      if (w.position == w.limit && !w.fill()) {
        return false;
      }
      byte b = w.bytes[w.position++];
      matched = b == text[matched] ? matched + 1 : b == text[0] ? 1 : 0;
      if (matched == text.length) {
        return true;
      }
    }
  }

  private static MalformedJson malformed(String what, int found) {
    return new MalformedJson(
        found < 0 ? what + " before the end" : what + " but '" + (char) found + "'", found < 0);
  }
}
