package dev.pitwall.scale;

import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.pass.scale.DataParallelOptions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// How a recorded one-GPU job would scale: its own step, replicated and sharded over a cluster.
public final class TracePlanner {
  /// Spread against the measured variants of h200/multi (docs/plan.md).
  private static final double SPREAD = 0.13;

  /// One way to scale the job.
  ///
  /// @param scaling throughput over that of as many independent GPUs that accumulate alike
  public record Scaled(
      String name,
      Strategy strategy,
      SimulatedStep.Knobs knobs,
      Estimate stepSeconds,
      double exposedCommunicationSeconds,
      double scaling) {}

  private TracePlanner() {}

  /// The job's step on one GPU without a profiler.
  public static double singleSeconds(TracedStep traced, Cluster cluster) {
    return alone(traced, cluster, 1);
  }

  private static double alone(TracedStep traced, Cluster cluster, int microBatches) {
    Strategy single = Strategy.data(Sharding.NONE, 1, 1).withMicroBatch(1, microBatches);
    return SimulatedStep.ofTrace(traced, cluster, single, SimulatedStep.Knobs.DEFAULT).seconds();
  }

  /// Every way worth telling, fastest first.
  public static List<Scaled> scale(TracedStep traced, Cluster cluster) {
    int ranks = cluster.gpus();
    Strategy ddp = Strategy.data(Sharding.DDP, ranks, 1);
    Strategy fsdp = Strategy.data(Sharding.FSDP2, ranks, 1);
    SimulatedStep.Knobs usual = SimulatedStep.Knobs.DEFAULT;
    List<Scaled> results = new ArrayList<>();
    for (int cap : new int[] {1, 25, 100, 400}) {
      SimulatedStep.Knobs knobs =
          usual.with(DataParallelOptions.DEFAULT.withBucketCapMib(cap == 25 ? 0 : cap));
      results.add(
          scaled(
              "DDP, bucket_cap_mb " + cap + (cap == 25 ? " (default)" : ""),
              traced,
              cluster,
              ddp,
              knobs));
    }
    results.add(
        scaled(
            "DDP, bf16 compression hook",
            traced,
            cluster,
            ddp,
            usual.withHalfPrecisionReduction()));
    results.add(
        scaled(
            "DDP, 4 micro-batches with no_sync", traced, cluster, ddp.withMicroBatch(1, 4), usual));
    results.add(
        scaled(
            "DDP, 4 micro-batches each reduced",
            traced,
            cluster,
            ddp.withMicroBatch(1, 4),
            usual.with(DataParallelOptions.DEFAULT.withSyncEveryMicroBatch())));
    results.add(
        scaled(
            "ZeRO-1 (ZeroRedundancyOptimizer)",
            traced,
            cluster,
            Strategy.data(Sharding.ZERO1, ranks, 1),
            usual));
    results.add(scaled("FSDP2", traced, cluster, fsdp, usual));
    results.add(
        scaled(
            "FSDP2, reshard_after_forward=False", traced, cluster, fsdp.withReshard(false), usual));
    results.add(
        scaled("FSDP2, checkpointing", traced, cluster, fsdp.with(Checkpointing.FULL), usual));
    results.add(
        scaled(
            "FSDP1, bf16 reduction",
            traced,
            cluster,
            Strategy.data(Sharding.FSDP1, ranks, 1),
            usual.withHalfPrecisionReduction()));
    if (cluster.nodes() > 1 && cluster.gpusPerNode() > 1) {
      results.add(
          scaled(
              "HSDP, shards inside a node",
              traced,
              cluster,
              fsdp.withShard(cluster.gpusPerNode()),
              usual));
    }
    results.sort(Comparator.comparingDouble(Scaled::scaling).reversed());
    return results;
  }

  private static Scaled scaled(
      String name,
      TracedStep traced,
      Cluster cluster,
      Strategy strategy,
      SimulatedStep.Knobs knobs) {
    SimulatedStep step = SimulatedStep.ofTrace(traced, cluster, strategy, knobs);
    double seconds = step.seconds();
    return new Scaled(
        name,
        strategy,
        knobs,
        new Estimate(seconds, seconds / (1 + SPREAD), seconds * (1 + SPREAD), Basis.SIMULATED),
        step.exposedCommunicationSeconds(),
        alone(traced, cluster, strategy.accumulation()) / seconds);
  }
}
