package dev.pitwall.scale;

import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.pass.scale.DataParallelOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Plans a recorded one-GPU job: its own step, replicated and sharded over a cluster.
public final class TracePlanner {
  /// Spread against the measured variants of h200/multi (docs/plan.md).
  private static final double SPREAD = 0.13;

  private static final int MICRO_BATCHES = 4;

  private final TracedStep traced;
  private final Cluster cluster;
  private final double singleSeconds;
  private final List<TracePlan.Way> ways = new ArrayList<>();

  private TracePlanner(TracedStep traced, Cluster cluster) {
    this.traced = traced;
    this.cluster = cluster;
    this.singleSeconds = aloneSeconds(traced, cluster, 1);
  }

  /// How the job would scale.
  ///
  /// @param singleSeconds its step on one GPU without a profiler, where it is known better than the
  ///     layers of the trace tell it; they are brought to it
  public static TracePlan plan(
      TracedStep recorded, Cluster cluster, Optional<Estimate> singleSeconds) {
    double own = aloneSeconds(recorded, cluster, 1);
    TracedStep traced =
        singleSeconds.map(known -> recorded.times(known.value() / own)).orElse(recorded);
    TracePlanner planner = new TracePlanner(traced, cluster);
    planner.replicate();
    planner.shard();
    return new TracePlan(
        traced,
        cluster,
        singleSeconds.orElse(new Estimate(own, own, own, Basis.SIMULATED)),
        planner.ways,
        planner
            .simulated(planner.ddp(), DDP.with(DataParallelOptions.DEFAULT.inFirstIteration()))
            .seconds());
  }

  private static final SimulatedStep.Knobs DDP = SimulatedStep.Knobs.DEFAULT;

  private static double aloneSeconds(TracedStep traced, Cluster cluster, int microBatches) {
    Strategy single = Strategy.data(Sharding.NONE, 1, 1).withMicroBatch(1, microBatches);
    return SimulatedStep.ofTrace(traced, cluster, single, DDP).seconds();
  }

  private Strategy ddp() {
    return Strategy.data(Sharding.DDP, cluster.gpus(), 1);
  }

  private void replicate() {
    DataParallelOptions usual = DataParallelOptions.DEFAULT;
    add("DDP, bucket_cap_mb 1", ddp(), DDP.with(usual.withBucketCapMib(1)));
    add("DDP, bucket_cap_mb 25 (default)", ddp(), DDP);
    add("DDP, bucket_cap_mb 100", ddp(), DDP.with(usual.withBucketCapMib(100)));
    add("DDP, bucket_cap_mb 400", ddp(), DDP.with(usual.withBucketCapMib(400)));
    add("DDP, bf16 compression hook", ddp(), DDP.withHalfPrecisionReduction());
    add("DDP, find_unused_parameters=True", ddp(), DDP.with(usual.withFindUnusedParameters()));
    Strategy accumulating = ddp().withMicroBatch(1, MICRO_BATCHES);
    add("DDP, 4 micro-batches with no_sync", accumulating, DDP);
    add(
        "DDP, 4 micro-batches each reduced",
        accumulating,
        DDP.with(usual.withSyncEveryMicroBatch()));
    Strategy zero = Strategy.data(Sharding.ZERO1, cluster.gpus(), 1);
    add("ZeRO-1 (ZeroRedundancyOptimizer)", zero, DDP);
  }

  private void shard() {
    Strategy fsdp = Strategy.data(Sharding.FSDP2, cluster.gpus(), 1);
    SimulatedStep.Knobs usual = SimulatedStep.Knobs.DEFAULT;
    add("FSDP2", fsdp, usual);
    add("FSDP2, reshard_after_forward=False", fsdp.withReshard(false), usual);
    add("FSDP2, checkpointing", fsdp.with(Checkpointing.FULL), usual);
    add(
        "FSDP1, bf16 reduction",
        Strategy.data(Sharding.FSDP1, cluster.gpus(), 1),
        usual.withHalfPrecisionReduction());
    if (cluster.nodes() > 1 && cluster.gpusPerNode() > 1) {
      add("HSDP, shards inside a node", fsdp.withShard(cluster.gpusPerNode()), usual);
    }
  }

  private SimulatedStep simulated(Strategy strategy, SimulatedStep.Knobs knobs) {
    return SimulatedStep.ofTrace(traced, cluster, strategy, knobs);
  }

  private void add(String name, Strategy strategy, SimulatedStep.Knobs knobs) {
    SimulatedStep step = simulated(strategy, knobs);
    double seconds = step.seconds();
    int micros = strategy.accumulation();
    ways.add(
        new TracePlan.Way(
            name,
            strategy,
            knobs,
            new Estimate(seconds, seconds / (1 + SPREAD), seconds * (1 + SPREAD), Basis.SIMULATED),
            step.exposedCommunicationSeconds(),
            cluster.gpus() * micros * singleSeconds / seconds,
            aloneSeconds(traced, cluster, micros) / seconds));
  }
}
