package dev.pitwall.recorders.zstd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdOutputStream;
import dev.pitwall.SharedData;
import dev.pitwall.error.PitwallException;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ZstdCompressionTest {
  @TempDir private Path folder;

  @Test
  void aTraceReadsTheSameFromZstdAsFromGzip() throws IOException {
    Path gzip = SharedData.require("h200/gpt2_compile/reduce_overhead.trace.json.gz");
    Trace expected = TraceFiles.read(gzip).getFirst();
    Path zstd = folder.resolve("trace.json");
    Files.write(zstd, Zstd.compress(unpacked(gzip)));
    Trace trace = TraceFiles.read(zstd).getFirst();
    assertThat(trace.slices().size()).isEqualTo(expected.slices().size());
    assertThat(trace.recording().events()).isEqualTo(expected.recording().events());
    assertThat(trace.losses().entries()).isEmpty();
  }

  @Test
  void damageEndsInATraceOrOneSentence() throws IOException {
    byte[] whole =
        Zstd.compress(unpacked(SharedData.require("h200/gpt2/base_stack.trace.json.gz")), 3);
    long seed = new SplittableRandom().nextLong();
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 40; round++) {
      byte[] damaged = Arrays.copyOf(whole, 4 + random.nextInt(whole.length - 4));
      for (int flip = 0; flip < round % 4; flip++) {
        damaged[4 + random.nextInt(damaged.length - 4)] = (byte) random.nextInt();
      }
      Path file = Files.write(folder.resolve("damaged.zst"), damaged);
      try {
        assertThat(TraceFiles.read(file).getFirst().losses().entries())
            .as("seed %d", seed)
            .isNotEmpty();
      } catch (PitwallException refused) {
        assertThat(refused.getMessage()).as("seed %d", seed).endsWith(".");
      }
    }
  }

  @Test
  void aBombIsRefused() throws IOException {
    Path bomb = folder.resolve("bomb.zst");
    byte[] spaces = new byte[1 << 20];
    Arrays.fill(spaces, (byte) ' ');
    try (OutputStream out = new ZstdOutputStream(Files.newOutputStream(bomb))) {
      out.write('[');
      for (int i = 0; i < 1_100; i++) {
        out.write(spaces);
      }
    }
    assertThatThrownBy(() -> TraceFiles.read(bomb)).hasMessageContaining("250 times its size");
  }

  private static byte[] unpacked(Path gzip) throws IOException {
    try (InputStream in = new GZIPInputStream(Files.newInputStream(gzip))) {
      return in.readAllBytes();
    }
  }
}
