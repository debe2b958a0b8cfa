package dev.pitwall.scale;

import dev.pitwall.pass.scale.PipelineStep;
import dev.pitwall.simulate.SteadyState;

/// The step of all stages of a pipeline, simulated to its steady state.
///
/// @param step its graph
/// @param steady its simulation
public record SimulatedPipeline(PipelineStep step, SteadyState steady) {

  /// @param microBatches micro-batches to simulate, which may be fewer than the strategy's
  static SimulatedPipeline of(PlanRequest request, Strategy strategy, int microBatches) {
    PipelineStep step =
        new ModelGraphs(request.model(), request.cluster(), strategy, request.recipe(strategy))
            .pipelineStep(microBatches);
    return new SimulatedPipeline(step, SteadyState.of(step.graph()));
  }

  public double seconds() {
    return steady.stepNanos() / 1e9;
  }
}
