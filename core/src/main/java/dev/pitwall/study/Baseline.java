package dev.pitwall.study;

import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.TraceGraph;
import dev.pitwall.simulate.SteadyState;
import dev.pitwall.trace.TraceIndex;

/// The program before any change: its graph, and how long the graph says a step takes.
///
/// @param graph what passes are applied to
/// @param stepMillis its step
public record Baseline(ExecutionGraph graph, Estimate stepMillis) {
  /// The steps as recorded, with what recording added to them.
  public static Baseline asRecorded(TraceIndex index) {
    ExecutionGraph graph = TraceGraph.of(index).graph();
    double millis = SteadyState.of(graph).stepNanos() / 1e6;
    return new Baseline(graph, new Estimate(millis, millis, millis, Basis.SIMULATED));
  }
}
