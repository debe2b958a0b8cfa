package dev.pitwall.station;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.graph.Resource;
import dev.pitwall.simulate.Replay;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Recording;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceBuilder;
import dev.pitwall.trace.Track;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/// The last repetition of a replay as a trace, so that a prediction is drawn, searched and measured
/// like a recording. A host wait is drawn over the whole time that the thread waits.
final class SimulatedTrace {
  private final Replay replay;
  private final ExecutionGraph graph;
  private final TraceBuilder builder = new TraceBuilder();
  private final long base;

  private SimulatedTrace(Replay replay) {
    this.replay = replay;
    graph = replay.graph();
    long first = Long.MAX_VALUE;
    for (int node = 0; node < graph.nodes(); node++) {
      first = Math.min(first, replay.startNanos(node));
    }
    base = graph.nodes() == 0 ? 0 : first;
  }

  static Trace of(Replay replay) {
    return new SimulatedTrace(replay).build();
  }

  private Trace build() {
    int[] tracks = new int[graph.resources().size()];
    for (int i = 0; i < tracks.length; i++) {
      Resource resource = graph.resources().get(i);
      tracks[i] =
          builder.addTrack(
              resource.isStream() ? Track.Kind.STREAM : Track.Kind.CPU_THREAD,
              "predicted",
              resource.name().replaceFirst("^thread ", ""),
              "",
              resource.device(),
              resource.isStream() ? streamOf(resource, i) : -1);
    }
    long[] busyUntil = new long[tracks.length];
    Arrays.fill(busyUntil, base);
    for (int node = 0; node < graph.nodes(); node++) {
      int resource = graph.resource(node);
      boolean waits = graph.kind(node) == NodeKind.HOST_WAIT;
      long start =
          waits ? Math.min(busyUntil[resource], replay.startNanos(node)) : replay.startNanos(node);
      long end = replay.endNanos(node);
      busyUntil[resource] = Math.max(busyUntil[resource], end);
      if (end > start) {
        add(
            tracks[resource],
            waits ? Category.DEVICE_SYNC : graph.category(node),
            waits ? "wait in " + graph.label(node) : graph.label(node),
            start,
            end);
      }
    }
    addSteps(tracks);
    return builder.build(
        new Recording(
            "simulated",
            -1,
            "",
            -1,
            "",
            null,
            false,
            false,
            false,
            -1,
            0,
            0,
            -1,
            -1,
            List.of(),
            List.of(),
            Map.of()));
  }

  // A step lasts from its first work on a CPU thread to that of the next.
  private void addSteps(int[] tracks) {
    long[] start = new long[graph.steps() + 1];
    int[] thread = new int[graph.steps()];
    Arrays.fill(start, Long.MAX_VALUE);
    long end = base;
    for (int node = 0; node < graph.nodes(); node++) {
      if (graph.kind(node).isDeviceWork()) {
        continue;
      }
      int step = graph.step(node);
      if (replay.startNanos(node) < start[step]) {
        start[step] = replay.startNanos(node);
        thread[step] = tracks[graph.resource(node)];
      }
      end = Math.max(end, replay.endNanos(node));
    }
    start[graph.steps()] = end;
    for (int step = 0; step < graph.steps(); step++) {
      if (start[step] < start[step + 1]) {
        add(
            thread[step],
            Category.USER_ANNOTATION,
            "ProfilerStep#" + step,
            start[step],
            start[step + 1]);
      }
    }
  }

  private void add(int track, Category category, String name, long start, long end) {
    builder.addSlice(
        track,
        category,
        0,
        builder.names().intern(name),
        start - base,
        end - start,
        Slices.NONE,
        Slices.NONE,
        Slices.NONE);
  }

  // Resources of streams are named "stream 7 (GPU 0)"; one made by a pass counts on from there.
  private static long streamOf(Resource resource, int index) {
    String digits = resource.name().replaceFirst("^\\D*(\\d+).*$", "$1");
    return digits.matches("\\d{1,18}") ? Long.parseLong(digits) : index;
  }
}
