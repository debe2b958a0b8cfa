package dev.pitwall.pass.scale;

import dev.pitwall.graph.EdgeKind;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.GraphBuilder;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.graph.Resource;
import dev.pitwall.hardware.CollectiveKind;
import java.util.List;

/// Shards the optimizer state of a replicated step (ZeRO-1): each rank updates its share of the
/// parameters and hands it to the others. Applied after [DataParallelPass], whose all-reduce of
/// gradients stays.
///
/// ```
///   compute  [bwd 0]       [optimizer / ranks]
///   nccl     [all-reduce 0]                   [broadcast][broadcast]...
/// ```
///
/// `torch.distributed.optim.ZeroRedundancyOptimizer` broadcasts parameter by parameter; DeepSpeed
/// gathers buckets, so its host pays once a bucket.
public final class ShardedOptimizerPass {
  private final Communication communication;
  private final HostCosts host;
  private final boolean parameterByParameter;
  private final long bucketElements;

  /// @param parameterByParameter one broadcast a parameter instead of gathering buckets
  /// @param bucketElements `allgather_bucket_size` in elements
  public ShardedOptimizerPass(
      Communication communication,
      HostCosts host,
      boolean parameterByParameter,
      long bucketElements) {
    this.communication = communication;
    this.host = host;
    this.parameterByParameter = parameterByParameter;
    this.bucketElements = bucketElements;
  }

  public LayeredStep apply(LayeredStep step) {
    GraphBuilder builder = step.graph().edit();
    int nccl = builder.resource(Resource.stream("nccl parameters", 0));
    for (int kernel : step.optimizerKernels()) {
      builder.scaleDuration(kernel, 1.0 / communication.ranks());
    }
    int updated = step.optimizerKernels()[step.optimizerKernels().length - 1];
    int at = step.optimizerLaunches()[step.optimizerLaunches().length - 1];
    int last = -1;
    List<LayeredStep.Unit> units = step.lastMicro();
    if (parameterByParameter) {
      for (LayeredStep.Unit unit : units) {
        for (long elements : unit.gradientElements()) {
          at =
              builder.insertAfter(
                  at, NodeKind.LAUNCH, host.nanos("zero-broadcast"), "c10d::broadcast_");
          last = collective(builder, nccl, at, updated, CollectiveKind.BROADCAST, elements);
        }
      }
    } else {
      double left = units.stream().mapToLong(LayeredStep.Unit::elements).sum();
      while (left > 0) {
        double bucket = Math.min(left, bucketElements);
        left -= bucket;
        at =
            builder.insertAfter(
                at, NodeKind.LAUNCH, host.nanos("collective-issue"), "c10d::_allgather_base_");
        last = collective(builder, nccl, at, updated, CollectiveKind.ALL_GATHER, bucket);
      }
    }
    int firstForward = step.micros().getFirst().getFirst().forwardKernels()[0];
    if (last >= 0) {
      builder.carriedEdge(last, firstForward, EdgeKind.EVENT_WAIT, 0);
    }
    ExecutionGraph changed = builder.build();
    return step.renumbered(builder, changed);
  }

  private int collective(
      GraphBuilder builder,
      int nccl,
      int issue,
      int updated,
      CollectiveKind kind,
      double elements) {
    int made =
        builder.add(NodeKind.COLLECTIVE, nccl, communication.nanos(kind, elements), kind.text());
    builder.edge(issue, made, EdgeKind.LAUNCH, LayeredStep.LAUNCH_LATENCY_NANOS);
    builder.edge(updated, made, EdgeKind.EVENT_WAIT, 0);
    return made;
  }
}
