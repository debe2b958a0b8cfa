package dev.pitwall.study;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.TraceGraph;

/// The rate at which input batches arrive when the program waits for them.
///
/// The first wait of a window tells when its batch arrived, but not how long it took: it may have
/// been begun long before. So the rate is taken between the first and the last waited-for batch,
/// over the steps between them, and stands in for the first too.

final class InputArrivals {
  private InputArrivals() {}

  /// Batches that the program waited for.
  static int waits(TraceGraph traced) {
    int waits = 0;
    int input = traced.graph().findLabel(TraceGraph.INPUT);
    for (int node = 0; node < traced.graph().nodes(); node++) {
      if (traced.graph().labelId(node) == input) {
        waits++;
      }
    }
    return waits;
  }

  /// Sets the duration of the first input node to its share of the rate; leaves it where there is
  /// no rate.
  static void settle(TraceGraph traced, long[] durationNanos) {
    ExecutionGraph graph = traced.graph();
    int first = -1;
    int last = -1;
    int input = graph.findLabel(TraceGraph.INPUT);
    for (int node = 0; node < graph.nodes(); node++) {
      if (graph.labelId(node) == input) {
        first = first < 0 || traced.startNanos()[node] < traced.startNanos()[first] ? node : first;
        last = last < 0 || traced.startNanos()[node] > traced.startNanos()[last] ? node : last;
      }
    }
    int firstStep = first < 0 ? 0 : stepOfArrival(traced, first);
    int steps = last < 0 ? 0 : stepOfArrival(traced, last) - firstStep;
    if (steps > 0) {
      long between = traced.endNanos(last) - traced.endNanos(first);
      durationNanos[first] =
          Math.min(durationNanos[first], Math.round((firstStep + 1) * (between / (double) steps)));
    }
  }

  private static int stepOfArrival(TraceGraph traced, int inputNode) {
    return Math.max(0, traced.index().steps().stepAt(traced.endNanos(inputNode)));
  }
}
