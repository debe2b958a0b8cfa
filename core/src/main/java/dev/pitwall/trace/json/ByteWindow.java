package dev.pitwall.trace.json;

import dev.pitwall.error.PitwallException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;

/// A sliding window of 1 MiB over a stream of bytes. The bytes from [#tokenStart] on stay in the
/// window, so a token is always contiguous; the bytes from [#mark] on stay while they fit, so that
/// a reader can go back to the start of a damaged event.
///
/// The scanner in this package reads the fields directly: an accessor a byte would cost a third of
/// the speed.
final class ByteWindow {
  /// Large enough that refilling costs nothing, small enough to stay in the second-level cache.
  static final int CAPACITY = 1 << 20;

  /// The longest single text that is read. The longest seen in real traces, a call stack, has 40
  /// KiB.
  static final int LONGEST_TOKEN = 64 << 20;

  /// Bytes past `limit` that may be read as part of a word; they are never taken for content.
  static final int PADDING = 8;

  private static final int NO_MARK = -1;

  private final InputStream source;

  /// What is read, for sentences to the user.
  final String name;

  byte[] bytes = new byte[CAPACITY + PADDING];
  int position;
  int limit;
  int tokenStart;
  int mark = NO_MARK;
  private long offsetOfFirst;
  private boolean ended;

  ByteWindow(InputStream source, String name) {
    this.source = source;
    this.name = name;
  }

  /// Offset in the stream of the byte at `position`.
  long offset() {
    return offsetOfFirst + position;
  }

  void mark() {
    mark = position;
    tokenStart = position;
  }

  /// Goes back to the mark where its bytes are still here.
  boolean rewindToMark() {
    if (mark == NO_MARK) {
      return false;
    }
    position = mark;
    tokenStart = mark;
    return true;
  }

  /// Reads more bytes behind `limit`, moving the retained ones to the front; `position`,
  /// `tokenStart` and `mark` move with them.
  ///
  /// @return false where the stream has ended
  boolean fill() {
    if (ended) {
      return false;
    }
    if (mark != NO_MARK && limit - mark > CAPACITY / 2) {
      mark = NO_MARK;
    }
    int keepFrom = mark == NO_MARK ? tokenStart : Math.min(mark, tokenStart);
    int kept = limit - keepFrom;
    if (kept > LONGEST_TOKEN) {
      throw PitwallException.unreadable(
          name
              + " holds one text longer than 64 MiB at byte "
              + offset()
              + "; this is no trace that a profiler wrote.");
    }
    if (kept > bytes.length - PADDING - CAPACITY / 4) {
      bytes = Arrays.copyOf(bytes, 2 * bytes.length);
    }
    if (keepFrom > 0) {
      System.arraycopy(bytes, keepFrom, bytes, 0, kept);
      offsetOfFirst += keepFrom;
      position -= keepFrom;
      tokenStart -= keepFrom;
      mark = mark == NO_MARK ? NO_MARK : mark - keepFrom;
      limit = kept;
    }
    try {
      int read = source.read(bytes, limit, bytes.length - PADDING - limit);
      if (read <= 0) {
        ended = true;
        return false;
      }
      limit += read;
      return true;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
