package dev.pitwall.simulate;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.TraceGraph;
import dev.pitwall.trace.Steps;

/// The recorded window simulated once, unchanged, from the state it opened in: streams still busy
/// with work launched before, launches still queued. It has to give the recording back.
///
/// @param measuredStepNanos recorded time of a step: from the start of the first to the end of the
///     last, by their number
/// @param simulatedStepNanos the same, simulated
/// @param unexplainedNanos time per step on the simulated critical path that no dependency explains
/// @param worstStartErrorNanos largest difference of a simulated from a measured start
/// @param replay the replay, for the timeline
public record WindowReplay(
    double measuredStepNanos,
    double simulatedStepNanos,
    double unexplainedNanos,
    long worstStartErrorNanos,
    Replay replay) {
  public static WindowReplay of(TraceGraph traced) {
    ExecutionGraph graph = traced.graph();
    Replay replay = new Replay(graph);
    long base = traced.windowStartNanos();
    for (int resource = 0; resource < graph.resources().size(); resource++) {
      long end = traced.orphanEndNanos()[resource];
      if (end != Long.MIN_VALUE) {
        replay.busyUntil(resource, end - base);
      }
      long[] starts = traced.orphanStartNanos()[resource].clone();
      for (int at = 0; at < starts.length; at++) {
        starts[at] -= base;
      }
      replay.queuedBefore(resource, starts);
    }
    replay.repeat();
    long simulatedEnd = 0;
    long measuredEnd = 0;
    long worst = 0;
    for (int node = 0; node < graph.nodes(); node++) {
      worst =
          Math.max(worst, Math.abs(replay.startNanos(node) - (traced.startNanos()[node] - base)));
      if (!graph.kind(node).isDeviceWork()) {
        simulatedEnd = Math.max(simulatedEnd, replay.endNanos(node));
        measuredEnd = Math.max(measuredEnd, traced.endNanos(node) - base);
      }
    }
    long unexplained = 0;
    for (CriticalPath.Piece piece : CriticalPath.of(replay).pieces()) {
      if (piece.waitsFor() != null) {
        unexplained += Math.min(piece.nanos(), traced.unexplainedNanos()[piece.node()]);
      }
    }
    int steps = graph.steps();
    Steps recorded = traced.index().steps();
    double measured =
        recorded.count() == 0
            ? measuredEnd
            : (recorded.endNanos()[recorded.count() - 1] - recorded.startNanos()[0])
                / (double) steps;
    return new WindowReplay(
        measured, simulatedEnd / (double) steps, unexplained / (double) steps, worst, replay);
  }
}
