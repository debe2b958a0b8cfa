package dev.pitwall.scale;

import dev.pitwall.hardware.RankGroup;
import dev.pitwall.pass.scale.CheckpointPass;
import dev.pitwall.pass.scale.Communication;
import dev.pitwall.pass.scale.DataParallelOptions;
import dev.pitwall.pass.scale.DataParallelPass;
import dev.pitwall.pass.scale.FullyShardedPass;
import dev.pitwall.pass.scale.HostCosts;
import dev.pitwall.pass.scale.LayeredStep;
import dev.pitwall.pass.scale.ShardedOptimizerPass;
import dev.pitwall.pass.scale.ZeroThreeOptions;
import dev.pitwall.pass.scale.ZeroThreePass;
import dev.pitwall.simulate.Replay;
import dev.pitwall.simulate.SteadyState;
import java.util.ArrayList;
import java.util.List;

/// The step of one rank, built node by node from a model or from a trace, changed by the passes of
/// a strategy and simulated to its steady state.
///
/// @param step the changed step
/// @param steady its simulation
public record SimulatedStep(LayeredStep step, SteadyState steady) {
  /// Knobs of data parallelism that only a trace's user states.
  ///
  /// @param replicated those of DDP
  /// @param zeroThree those of DeepSpeed's stage 3
  /// @param reduceBytes bytes of a gradient element as reduced
  /// @param gatherBytes bytes of a parameter element as gathered
  public record Knobs(
      DataParallelOptions replicated,
      ZeroThreeOptions zeroThree,
      double reduceBytes,
      double gatherBytes) {
    /// DDP and FSDP as PyTorch's defaults and the usual mixed precision have them.
    public static final Knobs DEFAULT =
        new Knobs(DataParallelOptions.DEFAULT, ZeroThreeOptions.DEFAULT, 4, 2);

    public Knobs with(DataParallelOptions other) {
      return new Knobs(other, zeroThree, reduceBytes, gatherBytes);
    }

    /// Gradients are reduced in two-byte numbers.
    public Knobs withHalfPrecisionReduction() {
      return new Knobs(replicated, zeroThree, 2, gatherBytes);
    }
  }

  public double seconds() {
    return steady.stepNanos() / 1e9;
  }

  /// Nanoseconds of the last repetition in which the compute stream is idle while a collective
  /// runs: communication that nothing hides.
  public double exposedCommunicationSeconds() {
    Replay replay = steady.replay();
    List<long[]> collectives = new ArrayList<>();
    List<long[]> computing = new ArrayList<>();
    for (int node = 0; node < step.graph().nodes(); node++) {
      long[] interval = {replay.startNanos(node), replay.endNanos(node)};
      if (interval[0] == interval[1]) {
        continue;
      }
      if (step.graph().resource(node) == step.computeStream()) {
        computing.add(interval);
      } else if (step.graph().kind(node).isDeviceWork()) {
        collectives.add(interval);
      }
    }
    return (covered(collectives, List.of()) - covered(collectives, computing)) / 1e9;
  }

  /// Length of the union of `intervals`, or of its part inside the union of `mask` where that is
  /// given.
  private static long covered(List<long[]> intervals, List<long[]> mask) {
    List<long[]> merged = merged(intervals);
    if (mask.isEmpty()) {
      return merged.stream().mapToLong(interval -> interval[1] - interval[0]).sum();
    }
    List<long[]> mergedMask = merged(mask);
    long sum = 0;
    int at = 0;
    for (long[] interval : merged) {
      while (at < mergedMask.size() && mergedMask.get(at)[1] <= interval[0]) {
        at++;
      }
      for (int i = at; i < mergedMask.size() && mergedMask.get(i)[0] < interval[1]; i++) {
        sum +=
            Math.min(interval[1], mergedMask.get(i)[1])
                - Math.max(interval[0], mergedMask.get(i)[0]);
      }
    }
    return sum;
  }

  private static List<long[]> merged(List<long[]> intervals) {
    List<long[]> sorted = new ArrayList<>(intervals);
    sorted.sort((a, b) -> Long.compare(a[0], b[0]));
    List<long[]> merged = new ArrayList<>();
    for (long[] interval : sorted) {
      if (!merged.isEmpty() && interval[0] <= merged.getLast()[1]) {
        merged.getLast()[1] = Math.max(merged.getLast()[1], interval[1]);
      } else {
        merged.add(interval.clone());
      }
    }
    return merged;
  }

  /// A recorded one-GPU step under a strategy on a cluster of the same GPU. Tensor, pipeline and
  /// context parallelism change the layers themselves and are not applied to a trace.
  public static SimulatedStep ofTrace(
      TracedStep traced, Cluster cluster, Strategy strategy, Knobs knobs) {
    LayeredStep plain =
        LayeredStep.build(
            traced.units(),
            strategy.accumulation(),
            traced.optimizerHostNanos(),
            traced.optimizerDeviceNanos());
    return simulated(plain, cluster, strategy, knobs, new HostCosts(traced.hostSlowness()), true);
  }

  /// A model's step by the cost model: one unit a layer. Pipeline stages other than the first are
  /// not simulated; the caller adds the bubble.
  public static SimulatedStep ofModel(
      ModelShape model, Cluster cluster, Strategy strategy, Recipe recipe) {
    LayeredStep plain = new ModelGraphs(model, cluster, strategy, recipe).layeredStep();
    DataParallelOptions replicated =
        strategy.sharding().shardsGradients()
            ? DataParallelOptions.DEFAULT.withSyncEveryMicroBatch()
            : DataParallelOptions.DEFAULT;
    Knobs knobs =
        new Knobs(
            replicated,
            ZeroThreeOptions.ofWidth(model.hidden()),
            recipe.states().reduce(),
            recipe.states().gather());
    return simulated(plain, cluster, strategy, knobs, new HostCosts(MODEL_HOST), false);
  }

  /// Hooks of the model path run on a host of a current server, about half as slow as that of
  /// h200/multi, which shared its cores.
  private static final double MODEL_HOST = 0.5;

  /// DeepSpeed's default `allgather_bucket_size`.
  private static final long ALLGATHER_BUCKET_ELEMENTS = 500_000_000;

  private static SimulatedStep simulated(
      LayeredStep plain,
      Cluster cluster,
      Strategy strategy,
      Knobs knobs,
      HostCosts host,
      boolean checkpointHere) {
    LayeredStep step = plain;
    if (checkpointHere && strategy.checkpointing() == Checkpointing.FULL) {
      step = new CheckpointPass(host).apply(step);
    }
    if (strategy.dataRanks() > 1) {
      step = synchronizing(step, cluster, strategy, knobs, host, checkpointHere);
    }
    return new SimulatedStep(step, SteadyState.of(step.graph()));
  }

  private static LayeredStep synchronizing(
      LayeredStep step,
      Cluster cluster,
      Strategy strategy,
      Knobs knobs,
      HostCosts host,
      boolean ofTrace) {
    int ranks = strategy.sharding().shardsParameters() ? strategy.shard() : strategy.dataRanks();
    Communication communication = communication(cluster, ranks, strategy.tensor(), knobs);
    return switch (strategy.sharding()) {
      case NONE -> step;
      case FSDP1, FSDP2 ->
          new FullyShardedPass(
                  communication,
                  host,
                  strategy.sharding() == Sharding.FSDP2,
                  strategy.reshardAfterForward(),
                  true,
                  strategy.isHybrid()
                      ? communication(
                          cluster, strategy.dataRanks() / ranks, strategy.tensor() * ranks, knobs)
                      : null)
              .apply(step);
      case ZERO3 -> new ZeroThreePass(communication, host, knobs.zeroThree()).apply(step);
      case DDP -> new DataParallelPass(communication, host, knobs.replicated()).apply(step);
      case ZERO1, ZERO2 -> {
        Communication updated =
            new Communication(
                communication.group(), cluster.network(), cluster.gpu(), ofTrace ? 4 : 2, 4);
        yield new ShardedOptimizerPass(updated, host, ofTrace, ALLGATHER_BUCKET_ELEMENTS)
            .apply(new DataParallelPass(communication, host, knobs.replicated()).apply(step));
      }
    };
  }

  private static Communication communication(Cluster cluster, int ranks, int stride, Knobs knobs) {
    return new Communication(
        RankGroup.strided(ranks, stride, cluster.gpusPerNode()),
        cluster.network(),
        cluster.gpu(),
        knobs.gatherBytes(),
        knobs.reduceBytes());
  }
}
