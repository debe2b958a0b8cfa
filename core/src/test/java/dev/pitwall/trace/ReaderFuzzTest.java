package dev.pitwall.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.SharedData;
import dev.pitwall.error.PitwallException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/// Random damage: whatever a file holds, reading it ends in a trace or in one [PitwallException].
///
/// The usual build damages a few small files. All recordings at hand are damaged by
/// `./mvnw -pl core test -Dtest=ReaderFuzzTest -Dfuzz=all` (ten to twenty minutes on two cores):
/// each is cut at 20 places, packed as it is and unpacked; 1,000 times a byte is changed in an
/// excerpt of it (its head, some events, its tail; another excerpt every 50 changes), and 250 times
/// in the packed excerpt.
class ReaderFuzzTest {
  private static final int TRUNCATIONS = 20;
  private static final int FLIPS = 1_000;
  private static final int FLIPS_AN_EXCERPT = 50;
  private static final int PACKED_FLIPS_AN_EXCERPT = 12;

  /// Larger contents are damaged in excerpts of three parts of this size together.
  private static final int EXCERPT = 1 << 15;

  private static final int THREADS = 2;

  private final long seed = new SplittableRandom().nextLong();

  @TempDir private Path folder;

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void smallFilesSurviveTruncationAndByteFlips() throws IOException {
    for (String path :
        List.of("h200/gpt2/base_stack.trace.json.gz", "h200/multi/s_fsdp2.rank0.trace.json.gz")) {
      byte[] trace = unpacked(SharedData.require(path));
      Damage damage = new Damage(path, seed);
      byte[] excerpt = damage.excerpt(trace);
      damage.cut(excerpt);
      damage.cut(TraceInputTest.gzip(excerpt));
      damage.change(excerpt, FLIPS);
      damage.change(TraceInputTest.gzip(excerpt), FLIPS);
    }
  }

  @Test
  @EnabledIfSystemProperty(named = "fuzz", matches = "all")
  @Timeout(value = 1, unit = TimeUnit.HOURS)
  void everyRecordingSurvivesTruncationAndByteFlips() throws Exception {
    List<Path> files = new ArrayList<>();
    for (String place :
        List.of("h200", "corpus/kineto", "corpus/chrome", "corpus/ascend", "corpus/misc")) {
      try (Stream<Path> all = Files.walk(SharedData.require(place))) {
        all.filter(Files::isRegularFile)
            .filter(file -> file.toString().contains("json"))
            .sorted()
            .forEach(files::add);
      }
    }
    try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      List<Future<Integer>> pending = new ArrayList<>();
      for (Path file : files) {
        long ownSeed = seed + pending.size();
        pending.add(threads.submit(() -> new Damage(file.toString(), ownSeed).everywhere(file)));
      }
      long reads = 0;
      for (int index = 0; index < pending.size(); index++) {
        reads += pending.get(index).get();
        System.out.printf(
            "%d of %d files, %,d damaged readings, last %s%n",
            index + 1, files.size(), reads, files.get(index).getFileName());
      }
    }
  }

  /// One recording being damaged.
  private final class Damage {
    private final String name;
    private final long ownSeed;
    private final SplittableRandom random;
    private final Path file;
    private int reads;

    Damage(String name, long ownSeed) {
      this.name = name;
      this.ownSeed = ownSeed;
      random = new SplittableRandom(ownSeed);
      file = folder.resolve("damaged" + Long.toHexString(ownSeed));
    }

    int everywhere(Path recording) throws IOException {
      byte[] whole = Files.readAllBytes(recording);
      cut(whole);
      byte[] content = whole;
      if (recording.toString().endsWith(".gz")) {
        content = unpacked(recording);
        cut(content);
      }
      for (int flips = 0; flips < FLIPS; flips += FLIPS_AN_EXCERPT) {
        byte[] excerpt = excerpt(content);
        change(excerpt, FLIPS_AN_EXCERPT);
        change(TraceInputTest.gzip(excerpt), PACKED_FLIPS_AN_EXCERPT);
      }
      return reads;
    }

    void cut(byte[] content) throws IOException {
      for (int round = 0; round < TRUNCATIONS && content.length > 0; round++) {
        int length = random.nextInt(content.length);
        readDamaged(Arrays.copyOf(content, length), "cut at " + length);
      }
    }

    void change(byte[] content, int times) throws IOException {
      for (int round = 0; round < times && content.length > 0; round++) {
        int place = random.nextInt(content.length);
        byte before = content[place];
        content[place] = (byte) random.nextInt(256);
        readDamaged(content, "changed at " + place + " of an excerpt");
        content[place] = before;
      }
    }

    /// The head, a part from somewhere that ends where an event ends, and the tail; all of what is
    /// small.
    byte[] excerpt(byte[] content) {
      if (content.length <= 3 * EXCERPT) {
        return content.clone();
      }
      int from = EXCERPT + random.nextInt(content.length - 3 * EXCERPT);
      ByteArrayOutputStream excerpt = new ByteArrayOutputStream(3 * EXCERPT);
      excerpt.write(content, 0, endOfEvent(content, EXCERPT / 2));
      int start = endOfEvent(content, from);
      excerpt.write(content, start, endOfEvent(content, start + EXCERPT / 2) - start);
      int tail = endOfEvent(content, content.length - EXCERPT / 2);
      excerpt.write(content, tail, content.length - tail);
      return excerpt.toByteArray();
    }

    /// Behind the comma that follows the next event, or not far from `from` where there is none.
    private static int endOfEvent(byte[] content, int from) {
      for (int at = from; at < Math.min(content.length, from + EXCERPT / 4); at++) {
        if (content[at - 1] == '}' && content[at] == ',') {
          return at + 1;
        }
      }
      return from;
    }

    /// In a new file every time: emptying one and writing it again makes some file systems wait for
    /// the disk.
    private void readDamaged(byte[] content, String what) throws IOException {
      Files.write(file, content, StandardOpenOption.CREATE_NEW);
      reads++;
      try {
        Trace trace = TraceReaders.read(file);
        assertThat(trace.slices().size()).isNotNegative();
      } catch (PitwallException refused) {
        assertThat(refused.getMessage()).as("%s %s, seed %d", name, what, ownSeed).endsWith(".");
      } catch (RuntimeException | Error escaped) {
        throw new AssertionError(name + " " + what + ", seed " + ownSeed, escaped);
      } finally {
        Files.delete(file);
      }
    }
  }

  /// As far as it can be unpacked.
  private static byte[] unpacked(Path file) throws IOException {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    try (GZIPInputStream in =
        new GZIPInputStream(new ByteArrayInputStream(Files.readAllBytes(file)))) {
      in.transferTo(content);
    } catch (EOFException | ZipException damaged) {
      return content.toByteArray();
    }
    return content.toByteArray();
  }
}
