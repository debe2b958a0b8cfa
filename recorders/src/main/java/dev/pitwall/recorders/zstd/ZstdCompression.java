package dev.pitwall.recorders.zstd;

import com.github.luben.zstd.ZstdInputStream;
import dev.pitwall.trace.Compression;
import java.io.IOException;
import java.io.InputStream;

/// Reads `.zst` files, also those of several frames and with a skippable one in front.
public final class ZstdCompression implements Compression {
  /// Windows of up to 128 MiB, the most that `zstd --long` makes without asking the reader to
  /// agree; a file that claims more is refused rather than given the memory.
  private static final int LARGEST_WINDOW_LOG = 27;

  @Override
  public String name() {
    return "zstd";
  }

  @Override
  public boolean accepts(byte[] head, int length) {
    if (length < 4) {
      return false;
    }
    int magic = head[0] & 0xFF | (head[1] & 0xFF) << 8 | (head[2] & 0xFF) << 16 | head[3] << 24;
    boolean skippable = (magic & 0xFFFFFFF0) == 0x184D2A50;
    return magic == 0xFD2FB528 || skippable;
  }

  @Override
  public InputStream decompress(InputStream compressed) throws IOException {
    return new ZstdInputStream(compressed).setLongMax(LARGEST_WINDOW_LOG);
  }
}
