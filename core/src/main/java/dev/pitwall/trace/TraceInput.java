package dev.pitwall.trace;

import dev.pitwall.error.PitwallException;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.ServiceLoader;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.jspecify.annotations.Nullable;

/// A file opened for reading whatever it is packed in: plain, gzip (also of several members), zip
/// (its first file), or a [Compression] service, told by the first bytes and never by the suffix.
/// Texts in UTF-16 come out as UTF-8, and a byte order mark is left out.
///
/// Reading ends quietly where the packing is damaged; [#damage] then says so.
public final class TraceInput implements AutoCloseable {
  /// How many first bytes [#head] shows.
  public static final int HEAD = 4096;

  /// With the default of 512 bytes the inflater needs 1.6 times as long.
  private static final int INFLATER_BUFFER = 1 << 16;

  /// Real traces shrink 12 to 35 times; what grows more than this, past a gigabyte, is a bomb.
  private static final long LARGEST_RATIO = 250;

  private static final long LARGEST_WITHOUT_QUESTION = 1L << 30;

  private static final ScopedValue<LongConsumer> BYTES_TAKEN = ScopedValue.newInstance();

  private final InputStream stream;
  private final byte[] head;
  private final Unpacked unpacked;

  private TraceInput(Unpacked unpacked) throws IOException {
    this.unpacked = unpacked;
    byte[] first = unpacked.readNBytes(HEAD);
    InputStream rest = new AheadInput(unpacked);
    Charset charset = charsetOf(first);
    if (charset.equals(StandardCharsets.UTF_8)) {
      head =
          startsWith(first, 0xEF, 0xBB, 0xBF) ? Arrays.copyOfRange(first, 3, first.length) : first;
      stream = new SequenceInputStream(new ByteArrayInputStream(head), rest);
    } else {
      InputStream all = new SequenceInputStream(new ByteArrayInputStream(first), rest);
      InputStream utf8 = new BufferedInputStream(new Utf16Input(all, charset), HEAD);
      utf8.mark(HEAD);
      head = utf8.readNBytes(HEAD / 4);
      utf8.reset();
      stream = utf8;
    }
  }

  /// Reads, and reports the bytes that are taken from files meanwhile, packed as they lie there.
  ///
  /// @param bytesTaken told the bytes of each block, from the thread that reads it
  public static <T> T counting(LongConsumer bytesTaken, Supplier<T> reading) {
    return ScopedValue.where(BYTES_TAKEN, bytesTaken).call(reading::get);
  }

  /// Opens a file.
  ///
  /// @throws PitwallException where it does not exist, is empty or is packed in a way not known
  /// here
  public static TraceInput open(Path file) {
    try {
      long size = Files.size(file);
      InputStream bytes = Files.newInputStream(file);
      InputStream raw =
          new BufferedInputStream(
              BYTES_TAKEN.isBound() ? new Counted(bytes, BYTES_TAKEN.get()) : bytes,
              INFLATER_BUFFER);
      try {
        if (size == 0) {
          throw PitwallException.unreadable(file + " is empty; the recording was not written.");
        }
        raw.mark(HEAD);
        byte[] packedHead = raw.readNBytes(HEAD);
        raw.reset();
        return new TraceInput(new Unpacked(unpack(raw, packedHead, file), file, size));
      } catch (IOException | RuntimeException failure) {
        raw.close();
        throw failure;
      }
    } catch (NoSuchFileException missing) {
      throw PitwallException.unreadable(file + " does not exist; check the path.");
    } catch (IOException failure) {
      throw PitwallException.unreadable(
          file + " cannot be read (" + reason(failure) + "); check the path and its permissions.");
    }
  }

  private static InputStream unpack(InputStream raw, byte[] head, Path file) throws IOException {
    if (startsWith(head, 0x1F, 0x8B)) {
      return new GZIPInputStream(raw, INFLATER_BUFFER);
    }
    if (startsWith(head, 'P', 'K', 3, 4)) {
      ZipInputStream zip = new ZipInputStream(raw);
      ZipEntry entry = zip.getNextEntry();
      while (entry != null && entry.isDirectory()) {
        entry = zip.getNextEntry();
      }
      if (entry == null) {
        throw PitwallException.unreadable(file + " is a zip archive with no file in it.");
      }
      return zip;
    }
    for (Compression compression : ServiceLoader.load(Compression.class)) {
      if (compression.accepts(head, head.length)) {
        return compression.decompress(raw);
      }
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

  private static Charset charsetOf(byte[] head) {
    if (startsWith(head, 0xFF, 0xFE) || startsWith(head, '{', 0) || startsWith(head, '[', 0)) {
      return StandardCharsets.UTF_16LE;
    }
    if (startsWith(head, 0xFE, 0xFF) || startsWith(head, 0, '{') || startsWith(head, 0, '[')) {
      return StandardCharsets.UTF_16BE;
    }
    return StandardCharsets.UTF_8;
  }

  private static String reason(IOException failure) {
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }

  /// The first bytes, up to [#HEAD] of them, unpacked and in UTF-8.
  public byte[] head() {
    return head.clone();
  }

  /// All bytes, unpacked and in UTF-8.
  public InputStream stream() {
    return stream;
  }

  /// What was wrong with the packing, or null; known once the stream has ended.
  public @Nullable String damage() {
    return unpacked.damage;
  }

  @Override
  public void close() {
    try {
      stream.close();
    } catch (IOException ignored) {
      // Nothing was written, so nothing is lost when closing fails.
    }
  }

  /// Tells what is read through it.
  private static final class Counted extends FilterInputStream {
    private final LongConsumer bytesTaken;

    Counted(InputStream bytes, LongConsumer bytesTaken) {
      super(bytes);
      this.bytesTaken = bytesTaken;
    }

    @Override
    public int read() throws IOException {
      int one = super.read();
      bytesTaken.accept(one < 0 ? 0 : 1);
      return one;
    }

    @Override
    public int read(byte[] target, int from, int count) throws IOException {
      int read = super.read(target, from, count);
      bytesTaken.accept(Math.max(0, read));
      return read;
    }
  }

  /// Bytes as they come out of the packing: a failure of it is the end, a bomb is refused.
  private static final class Unpacked extends InputStream {
    private final InputStream source;
    private final Path file;
    private final long mostBytes;
    private long bytes;
    private volatile @Nullable String damage;

    Unpacked(InputStream source, Path file, long packedBytes) {
      this.source = source;
      this.file = file;
      mostBytes = Math.max(LARGEST_WITHOUT_QUESTION, packedBytes * LARGEST_RATIO);
    }

    @Override
    public int read() {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int from, int count) {
      if (damage != null) {
        return -1;
      }
      int read;
      try {
        read = source.read(target, from, count);
      } catch (IOException failure) {
        damage = reason(failure);
        return -1;
      }
      bytes += Math.max(0, read);
      if (bytes > mostBytes) {
        throw PitwallException.unreadable(
            file
                + " unpacks to more than "
                + LARGEST_RATIO
                + " times its size; unpack it yourself if you trust it.");
      }
      return read;
    }

    @Override
    public void close() throws IOException {
      source.close();
    }
  }
}
