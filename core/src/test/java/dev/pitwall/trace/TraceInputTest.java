package dev.pitwall.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitwall.error.PitwallException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceInputTest {
  private static final String TRACE =
      "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"é\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1},"
          + "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":2,\"dur\":1}]}";

  @TempDir private Path folder;

  @Test
  void packingIsToldByTheBytesAndNotByTheSuffix() throws IOException {
    assertThat(slices("plain.json.gz", utf8(TRACE))).isEqualTo(2);
    assertThat(slices("packed.json", gzip(utf8(TRACE)))).isEqualTo(2);
    assertThat(slices("zipped.pt", zip(utf8(TRACE)))).isEqualTo(2);
    assertThat(slices("killed.json.tmp", utf8(TRACE))).isEqualTo(2);
  }

  @Test
  void whoeverWaitsLearnsHowManyBytesWereTaken() throws IOException {
    Path file = write("waited-for.json.gz", gzip(utf8(TRACE)));
    AtomicLong taken = new AtomicLong();

    byte[] text =
        TraceInput.counting(
            taken::addAndGet,
            () -> {
              try (TraceInput input = TraceInput.open(file)) {
                return input.stream().readAllBytes();
              } catch (IOException failure) {
                throw new UncheckedIOException(failure);
              }
            });

    assertThat(text).isEqualTo(utf8(TRACE));
    assertThat(taken).hasValue(Files.size(file));
  }

  @Test
  void gzipOfSeveralMembersIsOneFile() throws IOException {
    byte[] first = gzip(utf8(TRACE.substring(0, 100)));
    byte[] second = gzip(utf8(TRACE.substring(100)));
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    assertThat(slices("members.json.gz", both)).isEqualTo(2);
  }

  @Test
  void byteOrderMarksAndUtf16AreRead() throws IOException {
    assertThat(slices("bom.json", utf8("\uFEFF" + TRACE))).isEqualTo(2);
    for (String charset : new String[] {"UTF-16LE", "UTF-16BE"}) {
      byte[] marked = ("\uFEFF" + TRACE).getBytes(charset);
      Trace trace = TraceFiles.read(write("wide.json", marked)).getFirst();
      assertThat(trace.name(0)).isEqualTo("é");
      assertThat(slices("bare.json", TRACE.getBytes(charset))).isEqualTo(2);
    }
  }

  @Test
  void aDamagedGzipIsReadAsFarAsItGoes() throws IOException {
    StringBuilder large = new StringBuilder("{\"traceEvents\":[");
    for (int i = 0; i < 50_000; i++) {
      large
          .append("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"n")
          .append(i * 7919L)
          .append("\",\"pid\":1,\"tid\":1,\"ts\":")
          .append(i)
          .append(",\"dur\":1},\n");
    }
    byte[] packed = gzip(utf8(large + "]}"));
    Trace cut =
        TraceFiles.read(write("cut.gz", Arrays.copyOf(packed, packed.length / 2))).getFirst();
    assertThat(cut.slices().size()).isBetween(10_000, 40_000);
    assertThat(cut.losses().count("damaged-compression")).isEqualTo(1);
    assertThat(cut.losses().count("truncated")).isEqualTo(1);
    packed[packed.length - 6] ^= 1;
    Trace checksum = TraceFiles.read(write("checksum.gz", packed)).getFirst();
    assertThat(checksum.slices().size()).isEqualTo(50_000);
    assertThat(checksum.losses().count("damaged-compression")).isEqualTo(1);
  }

  @Test
  void aCompressionBombIsRefused() throws IOException {
    Path bomb = folder.resolve("bomb.json.gz");
    byte[] spaces = new byte[1 << 20];
    Arrays.fill(spaces, (byte) ' ');
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(bomb))) {
      out.write('[');
      for (int i = 0; i < 1_100; i++) {
        out.write(spaces);
      }
    }
    assertThatThrownBy(() -> TraceFiles.read(bomb))
        .isInstanceOf(PitwallException.class)
        .hasMessageContaining("250 times its size");
  }

  @Test
  void whatIsNoTraceEndsInASentenceThatSaysWhy() throws IOException {
    assertThatThrownBy(() -> TraceFiles.read(folder.resolve("none.json")))
        .hasMessageContaining("does not exist");
    assertThatThrownBy(() -> TraceFiles.read(write("empty.json", new byte[0])))
        .hasMessageContaining("is empty");
    assertThatThrownBy(() -> TraceFiles.read(write("zeros.json", new byte[100])))
        .hasMessageContaining("no recording that Pitwall knows");
    assertThatThrownBy(
            () ->
                TraceFiles.read(
                    write("pointer.json", utf8("version https://git-lfs.github.com/spec/v1\n"))))
        .hasMessageContaining("git lfs pull");
    assertThatThrownBy(() -> TraceFiles.read(write("bad.json.gz", utf8("\u001f"))))
        .isInstanceOf(PitwallException.class);
    assertThatThrownBy(() -> TraceFiles.read(Files.createDirectory(folder.resolve("d"))))
        .hasMessageContaining("holds no trace");
  }

  @Test
  void aFolderIsOneTraceARankInOrderAndSaysWhatItCouldNotRead() throws IOException {
    write("job.rank1.json", utf8(TRACE));
    write("job.rank0.json.gz", gzip(utf8(TRACE)));
    write("job.rank2.json", utf8("{\"broken\": 1}"));
    write("notes.txt", utf8("nothing"));
    assertThat(TraceFiles.read(folder))
        .extracting(trace -> trace.recording().rank())
        .containsExactly(0, 1);
    assertThat(TraceFiles.read(folder).getFirst().losses().count("unread-file")).isEqualTo(1);
  }

  private int slices(String name, byte[] content) throws IOException {
    Trace trace = TraceFiles.read(write(name, content)).getFirst();
    assertThat(trace.losses().entries()).isEmpty();
    return trace.slices().size();
  }

  private Path write(String name, byte[] content) throws IOException {
    return Files.write(folder.resolve(name), content);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static byte[] gzip(byte[] content) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(packed)) {
      out.write(content);
    }
    return packed.toByteArray();
  }

  private static byte[] zip(byte[] content) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (ZipOutputStream out = new ZipOutputStream(packed)) {
      out.putNextEntry(new ZipEntry("folder/"));
      out.putNextEntry(new ZipEntry("folder/trace.json"));
      out.write(content);
    }
    return packed.toByteArray();
  }
}
