package dev.pitwall.scale;

import dev.pitwall.estimate.Estimate;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// How a recorded one-GPU job would scale.
///
/// @param traced the job, its times brought to `singleSeconds`
/// @param singleSeconds the job's step on one GPU without a profiler
/// @param ways everything worth telling, most tokens a second first
/// @param firstIterationSeconds DDP's first iteration, whose gradients go in one bucket
public record TracePlan(
    TracedStep traced,
    Cluster cluster,
    Estimate singleSeconds,
    List<Way> ways,
    double firstIterationSeconds) {

  /// One way to scale the job.
  ///
  /// @param speedup tokens a second over those of the recorded job on its one GPU
  /// @param scaling tokens a second over those of as many independent GPUs that accumulate alike
  public record Way(
      String name,
      Strategy strategy,
      SimulatedStep.Knobs knobs,
      Estimate stepSeconds,
      double exposedCommunicationSeconds,
      double speedup,
      double scaling) {
    /// Whether each GPU still sees the recorded batch in a step.
    public boolean keepsTheBatch() {
      return strategy.accumulation() == 1;
    }
  }

  public TracePlan {
    ways = ways.stream().sorted(Comparator.comparingDouble(Way::speedup).reversed()).toList();
  }

  /// The fastest of those whose GPUs do in a step what the recorded one did.
  public Way best() {
    return ways.stream().filter(Way::keepsTheBatch).findFirst().orElseThrow();
  }

  /// The fastest of those that accumulate gradients, where it is faster still.
  public Optional<Way> fasterWithALargerBatch() {
    Way first = ways.getFirst();
    return first.keepsTheBatch() ? Optional.empty() : Optional.of(first);
  }
}
