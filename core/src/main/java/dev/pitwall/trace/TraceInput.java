package dev.pitwall.trace;

import dev.pitwall.error.PitwallException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ServiceLoader;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipInputStream;
import org.jspecify.annotations.Nullable;

/// A file opened for reading whatever it is packed in: plain, gzip (also of several members), zip,
// or a
/// [Compression] service, told by the first bytes and never by the suffix. Texts in UTF-16 come out
// as
/// UTF-8 and a byte order mark is left out.
///
/// Reading ends quietly where the packing is damaged; [#damage] then says so.
public final class TraceInput implements AutoCloseable {
  private static final int HEAD = 4096;
  private static final int INFLATER_BUFFER = 1 << 16;

  private final InputStream stream;
  private final byte[] head;
  private @Nullable String damage;

  private TraceInput(InputStream unpacked) throws IOException {
    InputStream guarded = new Guard(unpacked);
    byte[] first = guarded.readNBytes(HEAD);
    Charset charset = charsetOf(first);
    if (charset == StandardCharsets.UTF_8) {
      int mark = hasByteOrderMark(first) ? 3 : 0;
      head = java.util.Arrays.copyOfRange(first, mark, first.length);
      stream = new SequenceInputStream(new java.io.ByteArrayInputStream(head), guarded);
    } else {
      InputStream all = new SequenceInputStream(new java.io.ByteArrayInputStream(first), guarded);
      InputStream utf8 = new BufferedInputStream(new Utf16Input(all, charset), HEAD);
      utf8.mark(HEAD);
      head = utf8.readNBytes(HEAD);
      utf8.reset();
      stream = utf8;
    }
  }

  /// Opens a file.
  ///
  /// @throws PitwallException where it does not exist, is empty or is packed in a way not known
  // here
  public static TraceInput open(Path file) {
    try {
      InputStream raw = new BufferedInputStream(Files.newInputStream(file), INFLATER_BUFFER);
      raw.mark(HEAD);
      byte[] packedHead = raw.readNBytes(HEAD);
      raw.reset();
      return new TraceInput(unpack(raw, packedHead, file));
    } catch (IOException failure) {
      throw PitwallException.unreadable(
          file
              + " cannot be read ("
              + failure.getMessage()
              + "); check the path and its permissions.");
    }
  }

  private static InputStream unpack(InputStream raw, byte[] head, Path file) throws IOException {
    if (startsWith(head, 0x1F, 0x8B)) {
      return new GZIPInputStream(raw, INFLATER_BUFFER);
    }
    if (startsWith(head, 'P', 'K', 3, 4)) {
      ZipInputStream zip = new ZipInputStream(raw);
      while (true) {
        java.util.zip.ZipEntry entry = zip.getNextEntry();
        if (entry == null) {
          throw PitwallException.unreadable(file + " is a zip archive with no file in it.");
        }
        if (!entry.isDirectory()) {
          return zip;
        }
      }
    }
    for (Compression compression : ServiceLoader.load(Compression.class)) {
      if (compression.accepts(head, head.length)) {
        return compression.decompress(raw);
      }
    }
    if (startsWith(head, 0x28, 0xB5, 0x2F, 0xFD)) {
      throw PitwallException.unreadable(
          file
              + " is compressed with zstd, which this build cannot read; unpack it with `zstd -d`"
              + " first.");
    }
    return raw;
  }

  private static boolean startsWith(byte[] head, int... bytes) {
    if (head.length < bytes.length) {
      return false;
    }
    for (int i = 0; i < bytes.length; i++) {
      if ((head[i] & 0xFF) != bytes[i]) {
        return false;
      }
    }
    return true;
  }

  private static boolean hasByteOrderMark(byte[] head) {
    return startsWith(head, 0xEF, 0xBB, 0xBF);
  }

  private static Charset charsetOf(byte[] head) {
    if (startsWith(head, 0xFF, 0xFE) || startsWith(head, '{', 0) || startsWith(head, '[', 0)) {
      return StandardCharsets.UTF_16LE;
    }
    if (startsWith(head, 0xFE, 0xFF) || startsWith(head, 0, '{') || startsWith(head, 0, '[')) {
      return StandardCharsets.UTF_16BE;
    }
    return StandardCharsets.UTF_8;
  }

  /// Up to 4,096 first bytes, unpacked and in UTF-8.
  public byte[] head() {
    return head.clone();
  }

  /// All bytes, unpacked and in UTF-8.
  public InputStream stream() {
    return stream;
  }

  /// What was wrong with the packing, or null; known once the stream has ended.
  public @Nullable String damage() {
    return damage;
  }

  @Override
  public void close() {
    try {
      stream.close();
    } catch (IOException ignored) {
      // Nothing was written, so nothing is lost when closing fails.
    }
  }

  /// Turns a failure of the packing into the end of the stream.
  private final class Guard extends InputStream {
    private final InputStream source;

    Guard(InputStream source) {
      this.source = source;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int from, int count) {
      if (damage != null) {
        return -1;
      }
      try {
        return source.read(target, from, count);
      } catch (IOException failure) {
        damage =
            failure.getMessage() == null
                ? failure.getClass().getSimpleName()
                : failure.getMessage();
        return -1;
      }
    }

    @Override
    public void close() throws IOException {
      source.close();
    }
  }
}
