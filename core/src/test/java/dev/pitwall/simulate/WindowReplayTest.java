package dev.pitwall.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.pitwall.SharedData;
import dev.pitwall.graph.GraphVerifier;
import dev.pitwall.graph.TraceGraph;
import dev.pitwall.trace.TraceFiles;
import dev.pitwall.trace.TraceIndex;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class WindowReplayTest {
  @Test
  void theUnchangedGraphGivesEveryRecordingBack() throws IOException {
    Path folder = SharedData.require("h200");
    List<Path> files;
    try (Stream<Path> all = Files.walk(folder)) {
      files = all.filter(file -> file.toString().endsWith(".trace.json.gz")).sorted().toList();
    }
    assertThat(files).isNotEmpty();
    for (Path file : files) {
      TraceGraph traced = TraceGraph.of(TraceIndex.of(TraceFiles.read(file).getFirst(), null));
      assertThat(GraphVerifier.faults(traced.graph())).as("%s", file).isEmpty();
      WindowReplay window = WindowReplay.of(traced);
      assertThat(window.simulatedStepNanos())
          .as("%s, unexplained %.3f ms", file, window.unexplainedNanos() / 1e6)
          .isCloseTo(window.measuredStepNanos(), within(0.02 * window.measuredStepNanos()));
      CriticalPath path = CriticalPath.of(window.replay());
      assertThat(path.pieces().stream().mapToLong(CriticalPath.Piece::nanos).sum())
          .as("%s", file)
          .isEqualTo(path.nanos());
    }
  }
}
