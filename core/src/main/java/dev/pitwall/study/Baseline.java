package dev.pitwall.study;

import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.TraceGraph;
import dev.pitwall.simulate.SteadyState;
import dev.pitwall.trace.TraceIndex;
import java.util.List;

/// The program before any change: its graph, and how long a step takes.
///
/// @param graph what passes are applied to; of several ranks, of the slowest
///     ([Representatives])
/// @param stepMillis its step
/// @param remarks why the interval of the step is wider than usual, as sentences
public record Baseline(ExecutionGraph graph, Estimate stepMillis, List<String> remarks) {
  public Baseline {
    remarks = List.copyOf(remarks);
  }

  /// The steps as recorded, with what recording added to them.
  public static Baseline asRecorded(TraceIndex index) {
    ExecutionGraph graph = TraceGraph.of(index).graph();
    double millis = SteadyState.of(graph).stepNanos() / 1e6;
    return new Baseline(graph, new Estimate(millis, millis, millis, Basis.SIMULATED), List.of());
  }

  /// The steps of one rank's recording without the recorder.
  public static Baseline unprofiled(TraceIndex index) {
    return StepEstimator.estimate(index);
  }
}
