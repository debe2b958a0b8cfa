package dev.pitwall.trace.compilelog;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.ZipException;

/// The lines of a stream of bytes, one at a time without an object each: after [#next] the line
/// lies in [#buffer] from [#start] to [#end], without its line break.
final class LogLines {
  private final InputStream in;
  private byte[] buffer = new byte[1 << 20];
  private int filled;
  private int start;
  private int end;
  private int nextStart;
  private long bytesRead;
  private long number;
  private boolean exhausted;
  private String damage = "";

  LogLines(InputStream in) {
    this.in = in;
  }

  /// Moves to the next line; false at the end. A stream that is cut ends early, see [#damage].
  boolean next() throws IOException {
    int scanFrom = nextStart;
    while (true) {
      for (int i = scanFrom; i < filled; i++) {
        if (buffer[i] == '\n') {
          start = nextStart;
          end = i > start && buffer[i - 1] == '\r' ? i - 1 : i;
          nextStart = i + 1;
          number++;
          return true;
        }
      }
      if (exhausted) {
        if (nextStart >= filled) {
          return false;
        }
        start = nextStart;
        end = filled;
        nextStart = filled;
        number++;
        return true;
      }
      scanFrom = filled - nextStart;
      refill();
    }
  }

  private void refill() throws IOException {
    if (nextStart > 0) {
      System.arraycopy(buffer, nextStart, buffer, 0, filled - nextStart);
      filled -= nextStart;
      nextStart = 0;
    }
    if (filled == buffer.length) {
      buffer = Arrays.copyOf(buffer, buffer.length * 2);
    }
    int read;
    try {
      read = in.read(buffer, filled, buffer.length - filled);
    } catch (EOFException | ZipException cut) {
      damage = cut.getMessage() == null ? "the compressed data ends early" : cut.getMessage();
      read = -1;
    }
    if (read < 0) {
      exhausted = true;
    } else {
      filled += read;
      bytesRead += read;
    }
  }

  byte[] buffer() {
    return buffer;
  }

  int start() {
    return start;
  }

  int end() {
    return end;
  }

  /// Number of the current line, from 1.
  long number() {
    return number;
  }

  long bytesRead() {
    return bytesRead;
  }

  /// What broke the compressed data, or empty.
  String damage() {
    return damage;
  }

  /// Whether the current line belongs to the payload of the event before it.
  boolean isPayload() {
    return end > start && buffer[start] == '\t';
  }

  String text(int from, int to) {
    return new String(buffer, from, to - from, StandardCharsets.UTF_8);
  }
}
