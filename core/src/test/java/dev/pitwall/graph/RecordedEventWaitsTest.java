package dev.pitwall.graph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Recording;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceBuilder;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.Track;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Kernels on streams 7 and 8, then one on stream 9 that begins after both; an event was recorded
/// behind the first.
class RecordedEventWaitsTest {
  private static final int RECORD = 2;
  private static final int WAIT = 4;

  private final TraceBuilder trace = new TraceBuilder();
  private final int thread = trace.addTrack(Track.Kind.CPU_THREAD, "1", "1", "", -1, -1);

  @Test
  void withoutARowAStreamWaitsForWhatEndedLastBefore() {
    assertThat(sourcesOfTheLastKernel(false)).containsExactly("on8");
  }

  @Test
  void aRecordedRowSaysWhichStreamIsWaitedFor() {
    assertThat(sourcesOfTheLastKernel(true)).containsExactly("on7");
  }

  private List<String> sourcesOfTheLastKernel(boolean recorded) {
    int seven = trace.addTrack(Track.Kind.STREAM, "0", "7", "", 0, 7);
    int eight = trace.addTrack(Track.Kind.STREAM, "0", "8", "", 0, 8);
    int nine = trace.addTrack(Track.Kind.STREAM, "0", "9", "", 0, 9);
    launch(0, 1, seven, "on7", 10, 20);
    slice(thread, Category.RUNTIME, "cudaEventRecord", 5, 1, RECORD, Slices.NONE);
    launch(10, 3, eight, "on8", 15, 25);
    slice(thread, Category.RUNTIME, "cudaStreamWaitEvent", 15, 1, WAIT, Slices.NONE);
    if (recorded) {
      int kind = trace.names().intern("Stream Wait Event");
      int detail = trace.syncs().add(kind, 9, 7, RECORD);
      slice(nine, Category.DEVICE_SYNC, "Stream Wait Event", 16, 1, WAIT, detail);
    }
    launch(20, 5, nine, "on9", 42, 5);
    Recording recording =
        new Recording(
            "test", -1, "", -1, "", null, true, false, false, -1, 0, 0, 0, 0, List.of(), List.of(),
            Map.of());
    ExecutionGraph graph = TraceGraph.of(TraceIndex.of(trace.build(recording), null)).graph();
    List<String> sources = new ArrayList<>();
    for (int node = 0; node < graph.nodes(); node++) {
      for (int edge = graph.firstIncoming(node); edge < graph.endIncoming(node); edge++) {
        if (graph.label(node).equals("on9") && graph.edgeKind(edge) == EdgeKind.EVENT_WAIT) {
          sources.add(graph.label(graph.source(edge)));
        }
      }
    }
    return sources;
  }

  private void launch(
      long at, int correlation, int stream, String kernel, long start, long micros) {
    slice(thread, Category.RUNTIME, "cudaLaunchKernel", at, 4, correlation, Slices.NONE);
    int detail = trace.deviceWork().add(-1, -1, -1, -1, -1);
    slice(stream, Category.KERNEL, kernel, start, micros, correlation, detail);
  }

  private void slice(
      int track, Category category, String name, long start, long micros, int id, int detail) {
    int nameId = trace.names().intern(name);
    trace.addSlice(
        track, category, 0, nameId, start * 1000, micros * 1000, id, Slices.NONE, detail);
  }
}
