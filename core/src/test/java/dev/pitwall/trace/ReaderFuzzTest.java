package dev.pitwall.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.SharedData;
import dev.pitwall.error.PitwallException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/// Random damage: whatever a file holds, reading it ends in a trace or in one [PitwallException].
///
/// The usual build damages a few small files. All recordings at hand are damaged by
/// `./mvnw -pl core test -Dtest=ReaderFuzzTest -Dfuzz=all` (about an hour on two cores).
class ReaderFuzzTest {
  private static final int TRUNCATIONS = 20;
  private static final int FLIPS = 1_000;

  /// Files above this size are damaged in many places at once, so that the hour suffices.
  private static final int LARGE = 1 << 17;

  private static final int FLIPS_AT_ONCE_IN_LARGE = 25;

  private final long seed = new SplittableRandom().nextLong();
  private final SplittableRandom random = new SplittableRandom(seed);

  @TempDir private Path folder;

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void smallFilesSurviveTruncationAndByteFlips() throws IOException {
    for (String path :
        List.of("h200/gpt2/base_stack.trace.json.gz", "h200/multi/s_fsdp2.rank0.trace.json.gz")) {
      byte[] excerpt = excerpt(unpacked(SharedData.require(path)));
      damage(excerpt, path);
      damage(TraceInputTest.gzip(excerpt), path + " packed");
    }
  }

  @Test
  @EnabledIfSystemProperty(named = "fuzz", matches = "all")
  void everyRecordingSurvivesTruncationAndByteFlips() throws IOException {
    for (String place :
        List.of("h200", "corpus/kineto", "corpus/chrome", "corpus/ascend", "corpus/misc")) {
      List<Path> files;
      try (Stream<Path> all = Files.walk(SharedData.require(place))) {
        files =
            all.filter(Files::isRegularFile)
                .filter(file -> file.toString().contains("json"))
                .sorted()
                .toList();
      }
      for (Path file : files) {
        damage(Files.readAllBytes(file), file.toString());
        if (file.toString().endsWith(".gz")) {
          damage(unpacked(file), file + " unpacked");
        }
      }
    }
  }

  private void damage(byte[] whole, String name) throws IOException {
    for (int round = 0; round < TRUNCATIONS; round++) {
      int length = random.nextInt(whole.length);
      readDamaged(Arrays.copyOf(whole, length), name + " cut at " + length);
    }
    int atOnce = whole.length > LARGE ? FLIPS_AT_ONCE_IN_LARGE : 1;
    for (int round = 0; round < FLIPS / atOnce; round++) {
      byte[] damaged = whole.clone();
      int place = 0;
      for (int flip = 0; flip < atOnce; flip++) {
        place = random.nextInt(damaged.length);
        damaged[place] = (byte) random.nextInt(256);
      }
      readDamaged(damaged, name + " changed at " + place);
    }
  }

  private void readDamaged(byte[] content, String what) throws IOException {
    Path file = Files.write(folder.resolve("damaged"), content);
    try {
      Trace trace = TraceFiles.read(file).getFirst();
      assertThat(trace.slices().size()).isNotNegative();
    } catch (PitwallException refused) {
      assertThat(refused.getMessage()).as("%s, seed %d", what, seed).endsWith(".");
    } catch (RuntimeException | Error escaped) {
      throw new AssertionError(what + ", seed " + seed, escaped);
    }
  }

  private static byte[] unpacked(Path file) throws IOException {
    try (GZIPInputStream in =
        new GZIPInputStream(new ByteArrayInputStream(Files.readAllBytes(file)))) {
      return in.readAllBytes();
    }
  }

  /// The head, some events and the tail of a trace.
  private static byte[] excerpt(byte[] trace) {
    String text = new String(trace, StandardCharsets.UTF_8);
    String first = text.substring(0, text.indexOf("\n  },\n", 12_000) + 5);
    String last = text.substring(text.indexOf("\n  },\n", text.length() - 6_000) + 6);
    return (first + "\n" + last).getBytes(StandardCharsets.UTF_8);
  }
}
