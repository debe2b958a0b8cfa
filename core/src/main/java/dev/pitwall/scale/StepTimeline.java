package dev.pitwall.scale;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.pass.scale.LayeredStep;
import dev.pitwall.simulate.Replay;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/// How busy each lane of a simulated step is over time: host, compute and network of one rank, or
/// the compute of each stage of a pipeline.
///
/// @param what what is shown, as a phrase
/// @param seconds its length
public record StepTimeline(String what, double seconds, List<Lane> lanes) {
  /// @param busy share of each of the equal slots, from 0 to 1
  public record Lane(String name, double[] busy) {}

  /// The timeline of a planned strategy in so many slots.
  public static StepTimeline of(PlanRequest request, Strategy strategy, int slots) {
    return strategy.pipeline() > 1
        ? ofPipeline(request, strategy, slots)
        : ofRank(request, strategy, slots);
  }

  private static StepTimeline ofRank(PlanRequest request, Strategy strategy, int slots) {
    SimulatedStep simulated =
        SimulatedStep.ofModel(
            request.model(),
            request.cluster(),
            strategy.withMicroBatch(strategy.microBatch(), 1),
            request.recipe(strategy));
    LayeredStep step = simulated.step();
    ExecutionGraph graph = step.graph();
    Replay replay = first(graph);
    IntPredicate isNetwork =
        resource -> graph.resources().get(resource).isStream() && resource != step.computeStream();
    return new StepTimeline(
        "one micro-batch and the optimizer",
        replay.finishNanos() / 1e9,
        List.of(
            new Lane("host", busy(graph, replay, slots, resource -> resource == step.host())),
            new Lane(
                "compute",
                busy(graph, replay, slots, resource -> resource == step.computeStream())),
            new Lane("network", busy(graph, replay, slots, isNetwork))));
  }

  private static StepTimeline ofPipeline(PlanRequest request, Strategy strategy, int slots) {
    int stages = strategy.pipeline();
    int micros = Math.min(strategy.accumulation(), 2 * stages);
    SimulatedPipeline pipeline = SimulatedPipeline.of(request, strategy, micros);
    Replay replay = first(pipeline.step().graph());
    List<Lane> lanes = new ArrayList<>();
    for (int stage = 0; stage < stages; stage++) {
      int stream = pipeline.step().computeStreams()[stage];
      lanes.add(
          new Lane(
              "stage " + stage,
              busy(pipeline.step().graph(), replay, slots, resource -> resource == stream)));
    }
    return new StepTimeline(
        micros + " of " + strategy.accumulation() + " micro-batches and the optimizer",
        replay.finishNanos() / 1e9,
        lanes);
  }

  /// A step that begins idle: later ones begin while the device still works on the step before.
  private static Replay first(ExecutionGraph graph) {
    Replay replay = new Replay(graph);
    replay.repeat();
    return replay;
  }

  private static double[] busy(
      ExecutionGraph graph, Replay replay, int slots, IntPredicate ofLane) {
    double slot = Math.max(1, replay.finishNanos() / (double) slots);
    double[] busy = new double[slots];
    for (int node = 0; node < graph.nodes(); node++) {
      if (!ofLane.test(graph.resource(node))) {
        continue;
      }
      double start = replay.startNanos(node);
      double end = replay.endNanos(node);
      for (int i = Math.max(0, (int) (start / slot)); i < slots && i * slot < end; i++) {
        double covered = Math.min(end, (i + 1) * slot) - Math.max(start, i * slot);
        busy[i] = Math.min(1, busy[i] + Math.max(0, covered) / slot);
      }
    }
    return busy;
  }
}
