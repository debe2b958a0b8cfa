package dev.pitwall.scale;

import dev.pitwall.pass.scale.PipelineStep;
import dev.pitwall.simulate.Replay;
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

  /// Share of the step in which the compute streams are idle, over all stages.
  public double idleShare() {
    Replay replay = steady.replay();
    boolean[] computes = new boolean[step.graph().resources().size()];
    for (int stream : step.computeStreams()) {
      computes[stream] = true;
    }
    double busy = 0;
    for (int node = 0; node < step.graph().nodes(); node++) {
      if (computes[step.graph().resource(node)]) {
        busy += replay.endNanos(node) - replay.startNanos(node);
      }
    }
    return 1 - busy / (steady.stepNanos() * step.computeStreams().length);
  }
}
