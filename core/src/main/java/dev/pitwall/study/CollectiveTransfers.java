package dev.pitwall.study;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.graph.TraceGraph;
import dev.pitwall.trace.Collective;
import dev.pitwall.trace.DeviceWorkDetails;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// How long each collective's transfer takes, apart from the wait for the other ranks that its
/// kernel spends spinning.
///
/// The rank that comes last does not wait, so the shortest kernel of equal collectives (same
/// kernel, same elements), over all steps and all ranks given, is the transfer.
final class CollectiveTransfers {
  private record Kind(String kernel, long inputElements, long outputElements, String dtype) {}

  private final Map<Kind, Long> shortest = new HashMap<>();

  /// Learns from the recordings of one job, one a rank.
  CollectiveTransfers(List<TraceGraph> ranks) {
    for (TraceGraph rank : ranks) {
      for (int node = 0; node < rank.graph().nodes(); node++) {
        if (rank.graph().kind(node) == NodeKind.COLLECTIVE) {
          shortest.merge(kind(rank, node), rank.graph().durationNanos(node), Math::min);
        }
      }
    }
  }

  boolean isEmpty() {
    return shortest.isEmpty();
  }

  /// Puts the transfer times in the place of the collectives' durations.
  void applyTo(TraceGraph rank, long[] durationNanos) {
    ExecutionGraph graph = rank.graph();
    for (int node = 0; node < graph.nodes(); node++) {
      if (graph.kind(node) == NodeKind.COLLECTIVE) {
        durationNanos[node] =
            Math.min(
                durationNanos[node], shortest.getOrDefault(kind(rank, node), durationNanos[node]));
      }
    }
  }

  private static Kind kind(TraceGraph rank, int node) {
    Trace trace = rank.index().trace();
    Slices slices = trace.slices();
    int row = rank.graph().traceRow(node);
    DeviceWorkDetails details = slices.deviceWork();
    int detail = slices.deviceWorkDetail(row);
    int index = detail < 0 ? -1 : details.collective(detail);
    String kernel = rank.graph().label(node);
    if (index < 0) {
      return new Kind(kernel, -1, -1, "");
    }
    Collective collective = trace.collectives().get(index);
    return new Kind(
        kernel, collective.inputElements(), collective.outputElements(), collective.dtype());
  }
}
