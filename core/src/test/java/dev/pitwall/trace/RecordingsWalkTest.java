package dev.pitwall.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.SharedData;
import dev.pitwall.error.PitwallException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Every recording at hand is read, or refused with one sentence, and none takes long.
class RecordingsWalkTest {
  /// The promise to the user is five seconds of a whole command; the reader must leave most of it.
  private static final long MOST_CPU_NANOS = 5_000_000_000L;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "h200",
        "corpus/kineto",
        "corpus/chrome",
        "corpus/ascend",
        "corpus/lfs_pointer",
        "corpus/misc"
      })
  void everyFileIsReadOrRefusedWithOneSentence(String folder) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(SharedData.require(folder))) {
      files = all.filter(Files::isRegularFile).sorted().toList();
    }
    int read = 0;
    for (Path file : files) {
      long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
      try {
        Trace trace = TraceFiles.read(file).getFirst();
        assertSound(trace, file);
        read++;
      } catch (PitwallException refused) {
        assertThat(refused.getMessage()).startsWith(file.toString()).endsWith(".");
        assertThat(refused.getMessage()).doesNotContain("\n");
      }
      long spent = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before;
      assertThat(spent).as("time for %s", file).isLessThan(MOST_CPU_NANOS);
    }
    assertThat(read > 0).as("some are read").isEqualTo(!folder.equals("corpus/lfs_pointer"));
  }

  private static void assertSound(Trace trace, Path file) {
    Slices slices = trace.slices();
    for (Track track : trace.tracks()) {
      for (int row = trace.firstRow(track.id()); row < trace.endRow(track.id()); row++) {
        assertThat(slices.track(row)).isEqualTo(track.id());
        if (slices.durationNanos(row) < 0
            || (row > trace.firstRow(track.id())
                && slices.startNanos(row) < slices.startNanos(row - 1))) {
          throw new AssertionError("row " + row + " of " + file + " is out of order");
        }
      }
    }
    assertThat(trace.recording().windowEndNanos())
        .isGreaterThanOrEqualTo(trace.recording().windowStartNanos());
  }
}
