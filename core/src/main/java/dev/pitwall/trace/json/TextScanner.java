package dev.pitwall.trace.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Finds where a text ends: at a quote behind which stands what may follow a text at that place.
/// Any other quote was not escaped and belongs to the text.
final class TextScanner {
  /// Where a text stands, which decides what may follow its closing quote.
  enum Place {
    KEY,
    MEMBER,
    ANYWHERE
  }

  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGHS = 0x8080808080808080L;
  private static final long QUOTES = '"' * ONES;
  private static final long BACKSLASHES = '\\' * ONES;
  private static final long SPACES = ' ' * ONES;

  private final ByteWindow window;

  /// Quotes inside texts that nobody escaped.
  long strayQuotes;

  /// Raw control characters inside texts.
  long controlCharacters;

  /// Whether the last text had a backslash; the caller clears it.
  boolean sawBackslash;

  /// How far ahead of the position the last call of [#following] found its byte.
  int skippedByFollowing;

  TextScanner(ByteWindow window) {
    this.window = window;
  }

  /// Moves to the quote that ends a text.
  void scanTo(Place place) throws MalformedJson {
    ByteWindow w = window;
    while (true) {
      w.position = nextSpecial(w.bytes, w.position, w.limit);
      if (w.position >= w.limit) {
        w.position = w.limit;
        if (!w.fill()) {
          throw new MalformedJson("no end of a text before the end", true);
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
        sawBackslash = true;
        w.position += 2;
        if (w.position > w.limit) {
          w.position = w.limit;
          if (!w.fill()) {
            throw new MalformedJson("no end of a text before the end", true);
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

  boolean endsText(Place place) {
    ByteWindow w = window;
    int at = w.position;
    if (w.limit - at > 4) {
      byte[] bytes = w.bytes;
      byte next = bytes[at + 1];
      switch (place) {
        case KEY -> {
          if (next == ':') {
            return true;
          }
        }
        case MEMBER -> {
          if (next == ','
              && (bytes[at + 2] == '"' || (bytes[at + 2] == ' ' && bytes[at + 3] == '"'))) {
            return true;
          }
        }
        case ANYWHERE -> {
          if (next == ',' || next == ']') {
            return true;
          }
        }
      }
    }
    return endsTextFarther(place);
  }

  private boolean endsTextFarther(Place place) {
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

  /// The first byte that is not white space from `ahead` bytes after the position on; nothing is
  /// consumed and the token stays. -1 at the end.
  int following(int ahead) {
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
}
