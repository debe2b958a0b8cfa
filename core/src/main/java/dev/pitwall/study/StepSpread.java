package dev.pitwall.study;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.graph.TraceGraph;

/// How unequal the recorded steps are.
final class StepSpread {
  private StepSpread() {}

  /// Difference between the most and the least kernel time of a step, over the mean; collectives
  /// apart, because they contain waits.
  static double ofDevice(TraceGraph traced) {
    ExecutionGraph graph = traced.graph();
    long[] nanos = new long[graph.steps()];
    for (int node = 0; node < graph.nodes(); node++) {
      if (graph.kind(node) == NodeKind.KERNEL) {
        nanos[graph.step(node)] += graph.durationNanos(node);
      }
    }
    long least = Long.MAX_VALUE;
    long most = 0;
    double sum = 0;
    for (long step : nanos) {
      least = Math.min(least, step);
      most = Math.max(most, step);
      sum += step;
    }
    return sum > 0 ? (most - least) / (sum / nanos.length) : 0;
  }
}
