package dev.pitwall.trace;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/// Bytes in UTF-16, as PowerShell's `>` writes them, read as UTF-8 without the byte order mark.
final class Utf16Input extends InputStream {
  private final InputStreamReader reader;
  private final char[] characters = new char[1 << 14];
  private byte[] utf8 = new byte[0];
  private int position;
  private boolean first = true;

  Utf16Input(InputStream source, Charset charset) {
    reader = new InputStreamReader(source, charset);
  }

  @Override
  public int read() throws IOException {
    return refill() ? utf8[position++] & 0xFF : -1;
  }

  @Override
  public int read(byte[] target, int from, int count) throws IOException {
    if (!refill()) {
      return -1;
    }
    int copied = Math.min(count, utf8.length - position);
    System.arraycopy(utf8, position, target, from, copied);
    position += copied;
    return copied;
  }

  private boolean refill() throws IOException {
    while (position == utf8.length) {
      int count = reader.read(characters, 0, characters.length - 1);
      if (count < 0) {
        return false;
      }
      if (Character.isHighSurrogate(characters[count - 1])) {
        int low = reader.read();
        if (low >= 0) {
          characters[count++] = (char) low;
        }
      }
      int start = first && characters[0] == '\uFEFF' ? 1 : 0;
      first = false;
      utf8 = new String(characters, start, count - start).getBytes(StandardCharsets.UTF_8);
      position = 0;
    }
    return true;
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
