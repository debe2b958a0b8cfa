package dev.pitwall.trace.json;

import dev.pitwall.error.PitwallException;
import dev.pitwall.trace.Names;
import dev.pitwall.trace.json.TextScanner.Place;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/// Reads JSON forwards, a token at a time, without building values.
///
/// It accepts all JSON and, on purpose, more, since profilers write more: `NaN`, `inf`, `N/A` and
/// any other bare word as a scalar; missing and doubled commas; raw control characters and lone
/// backslashes in texts; and quotes inside a text that nobody escaped. A quote ends a text only
/// where what follows can follow a text at that place: `:` after a key, `,` and another key or `}`
/// after a member's value, `,` or `]` after an element. Valid JSON always satisfies this, so
/// nothing valid is read differently.
///
/// A caller asks for what it expects ([#enterObject], [#nextKey], [#nanos], [#intern], …). Each
/// either consumes it or throws [MalformedJson]; [#rewindToMark] and [#skipToNextElement] then go
/// on.
public final class JsonScanner {
  /// What [#integer] and [#nanos] return where the file has no such number.
  public static final long ABSENT = DecimalText.ABSENT;

  /// What [#nextKey] returns behind the last key of an object.
  public static final int END = -2;

  /// Real traces nest 7 deep.
  private static final int DEEPEST_NESTING = 512;

  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGHS = 0x8080808080808080L;

  /// Added to seven bits, it sets the eighth exactly where they are above a space.
  private static final long ABOVE_SPACE = (0x7F - ' ') * ONES;

  private final ByteWindow window;
  private final TextScanner texts;
  private final TextEscapes escapes = new TextEscapes();
  private int tokenLength;
  private boolean tokenIsText;
  private boolean tokenIsNested;
  private boolean tokenHasEscapes;

  /// @param name what is read, for sentences to the user
  public JsonScanner(InputStream source, String name) {
    window = new ByteWindow(source, name);
    texts = new TextScanner(window);
  }

  /// Offset of the next byte in the (decompressed) stream.
  public long offset() {
    return window.offset();
  }

  /// Quotes that stood inside texts without a backslash.
  public long strayQuotes() {
    return texts.strayQuotes;
  }

  /// Control characters that stood raw inside texts.
  public long controlCharacters() {
    return texts.controlCharacters;
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
    if (w.position < w.limit) {
      byte b = w.bytes[w.position];
      if (b > ' ' || b < 0) {
        return b & 0xFF;
      }
    }
    return peekBehindSpaces();
  }

  private int peekBehindSpaces() {
    ByteWindow w = window;
    while (true) {
      byte[] bytes = w.bytes;
      int limit = w.limit;
      for (int at = w.position; at < limit; at += 8) {
        long word = (long) WORD.get(bytes, at);
        long visible = (((word & ~HIGHS) + ABOVE_SPACE) | word) & HIGHS;
        if (visible != 0) {
          int found = at + (Long.numberOfTrailingZeros(visible) >>> 3);
          if (found < limit) {
            w.position = found;
            return bytes[found] & 0xFF;
          }
          break;
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

  /// Inside an object: reads the next key and its colon.
  ///
  /// @return the key's index in `keys`, [Keys#UNKNOWN] for any other (then [#tokenText] tells it),
  /// or [#END] where the object ended instead; its `}` is consumed
  public int nextKey(Keys keys) throws MalformedJson {
    ByteWindow w = window;
    if (w.limit - w.position > Keys.ROOM) {
      int guess = keys.guess(w.bytes, w.position);
      if (guess != Keys.NO_GUESS) {
        w.position += keys.guessedLength();
        return guess;
      }
    }
    return readKey(keys);
  }

  private int readKey(Keys keys) throws MalformedJson {
    ByteWindow w = window;
    int from = w.position;
    long fromOffset = w.offset();
    int next = peekPastCommas();
    int key;
    if (next == '"') {
      readKey();
      key = keys.find(w.bytes, w.tokenStart, tokenLength);
      if (key == Keys.UNKNOWN) {
        return key;
      }
      peek();
    } else if (next == '}') {
      w.position++;
      key = END;
    } else {
      throw malformed("no key", next);
    }
    long length = w.offset() - fromOffset;
    boolean stillInWindow = w.position - length == from;
    keys.learn(key, w.bytes, from, stillInWindow ? (int) length : Integer.MAX_VALUE);
    return key;
  }

  private void readKey() throws MalformedJson {
    ByteWindow w = window;
    w.position++;
    scanText(Place.KEY);
    int colon = texts.following(0);
    if (colon != ':') {
      throw malformed("no ':' after a key", colon);
    }
    w.position += texts.skippedByFollowing + 1;
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

  /// The key or value just read, as text.
  public String tokenText() {
    ByteWindow w = window;
    if (tokenHasEscapes) {
      int length = escapes.decode(w.bytes, w.tokenStart, tokenLength);
      return new String(escapes.decoded(), 0, length, StandardCharsets.UTF_8);
    }
    return new String(w.bytes, w.tokenStart, tokenLength, StandardCharsets.UTF_8);
  }

  /// Reads a value and returns it as text: a text decoded, anything else as it is written; empty
  /// for an object or array longer than `longest` bytes.
  public String text(int longest) throws MalformedJson {
    scanValue(longest);
    return tokenText();
  }

  /// Reads a value and interns it: a text decoded, anything else as it is written. `null` is 0.
  public int intern(Names names) throws MalformedJson {
    scanValue();
    return internToken(names);
  }

  /// As [#intern(Names)], with a guess at hand: the result is the same, found faster where the
  /// guess is right.
  public int intern(Names names, Recall recall) throws MalformedJson {
    int first = peek();
    ByteWindow w = window;
    if (first == '"') {
      int guess = recall.text();
      if (guess >= 0 && isNext(names, guess, w.position + 1)) {
        int start = w.position + 1;
        int end = start + names.length(guess);
        if (end < w.limit && w.bytes[end] == '"') {
          w.tokenStart = w.position;
          w.position = end;
          if (texts.endsText(Place.MEMBER)) {
            w.position++;
            return guess;
          }
          w.position = w.tokenStart;
        }
      }
    } else if (first == '[' || first == '{') {
      int guess = recall.nested();
      if (guess > 0 && isNext(names, guess, w.position)) {
        w.position += names.length(guess);
        return guess;
      }
    }
    long oddities = texts.strayQuotes + texts.controlCharacters;
    scanValue();
    int id = internToken(names);
    if (tokenIsText
        && !tokenHasEscapes
        && oddities == texts.strayQuotes + texts.controlCharacters) {
      recall.learnText(id);
    } else if (tokenIsNested) {
      recall.learnNested(id);
    }
    return id;
  }

  private boolean isNext(Names names, int id, int at) {
    return window.limit - at > names.length(id) && names.standsAt(id, window.bytes, at);
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
  /// fraction, which is cut; [#ABSENT] where it is none.
  public long integer() throws MalformedJson {
    int first = peek();
    ByteWindow w = window;
    if (first >= '0' && first <= '9') {
      long value = DecimalText.takeInteger(w);
      if (value != ABSENT) {
        return value;
      }
    }
    scanValue();
    return DecimalText.integer(w.bytes, w.tokenStart, tokenLength);
  }

  /// Reads a value in microseconds, also from a text, as nanoseconds, rounded to the nearest;
  /// [#ABSENT] where it is none. Never goes through a double, which holds a present-day timestamp
  /// only to a quarter of a microsecond.
  public long nanos() throws MalformedJson {
    int first = peek();
    ByteWindow w = window;
    if (first >= '0' && first <= '9') {
      long value = DecimalText.takeNanosOfMicros(w);
      if (value != ABSENT) {
        return value;
      }
    }
    scanValue();
    return DecimalText.nanosOfMicros(w.bytes, w.tokenStart, tokenLength);
  }

  /// Reads a value and returns its first byte, behind the quote if it is a text; 0 for an empty
  /// one.
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
    scanValue(0);
  }

  private void scanValue() throws MalformedJson {
    scanValue(ByteWindow.LONGEST_TOKEN);
  }

  private void scanValue(int longest) throws MalformedJson {
    int first = peek();
    ByteWindow w = window;
    tokenHasEscapes = false;
    tokenIsText = false;
    tokenIsNested = false;
    switch (first) {
      case '"' -> {
        w.position++;
        scanText(Place.MEMBER);
        tokenIsText = true;
      }
      case '{', '[' -> {
        scanNested(longest);
        tokenIsNested = true;
      }
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
        if (DecimalText.endsBareWord(b)) {
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

  /// Consumes a whole object or array; the token is its text as written, or nothing where that is
  /// longer than `longest`.
  private void scanNested(int longest) throws MalformedJson {
    ByteWindow w = window;
    w.tokenStart = w.position;
    boolean kept = true;
    int depth = 0;
    do {
      if (w.position == w.limit && !w.fill()) {
        throw malformed("no end of an object or array", -1);
      }
      byte b = w.bytes[w.position++];
      if (b == '"') {
        texts.scanTo(Place.ANYWHERE);
        w.position++;
        kept &= w.position - w.tokenStart <= longest;
        if (!kept) {
          w.tokenStart = w.position;
        }
      } else if (b == '{' || b == '[') {
        if (++depth > DEEPEST_NESTING) {
          throw PitwallException.unreadable(
              "At byte "
                  + offset()
                  + " the file nests deeper than 512 levels; this is no trace that a profiler"
                  + " wrote.");
        }
        kept &= w.position - w.tokenStart <= longest;
        if (!kept) {
          w.tokenStart = w.position;
        }
      } else if (b == '}' || b == ']') {
        depth--;
      }
    } while (depth > 0);
    tokenLength = kept ? w.position - w.tokenStart : 0;
    tokenHasEscapes = false;
  }

  /// Reads a text whose opening quote is consumed; the token is what stands between the quotes.
  private void scanText(Place place) throws MalformedJson {
    ByteWindow w = window;
    w.tokenStart = w.position;
    texts.sawBackslash = false;
    texts.scanTo(place);
    tokenHasEscapes = texts.sawBackslash;
    tokenLength = w.position - w.tokenStart;
    w.position++;
  }

  /// After something malformed inside an array of objects: goes to the next place that looks like
  /// the start of an element, a `{` with a key behind it and a `,` or `[` before it.
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
      if (next == '{' && (before == ',' || before == '[') && texts.following(1) == '"') {
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
