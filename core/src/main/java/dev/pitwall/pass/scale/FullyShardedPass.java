package dev.pitwall.pass.scale;

import dev.pitwall.graph.EdgeKind;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.GraphBuilder;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.graph.Resource;
import dev.pitwall.hardware.CollectiveKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Shards parameters, gradients and optimizer state by FSDP: each layer is gathered before its
/// forward and its backward and its gradients are scattered after; all collectives share one
/// communicator and therefore queue.
///
/// ```
///   host     [gather 0][fwd 0][gather 1][fwd 1] ... [gather 0][bwd 1][scatter 1][bwd 0][scatter 0]
///   compute             [fwd 0]          [fwd 1]            [bwd 1]             [bwd 0]
///   nccl     [gather 0]  [gather 1]      ...       [gather 0]    [scatter 1]       [scatter 0]
/// ```
///
/// Mechanics: `_fsdp_param_group.py` and `_fully_shard` of PyTorch 2.13. A gather waits for the
/// layer before the one before it (two in flight); in backward the gather of the next layer is
/// issued before the gradients of this one are computed; the copy into the next reduce-scatter
/// waits for the reduce-scatter before. Embedding, head and loss are the root unit, gathered once.
public final class FullyShardedPass {
  private final Communication communication;
  private final HostCosts host;
  private final boolean version2;
  private final boolean reshardAfterForward;
  private final boolean syncEveryMicroBatch;
  private final @Nullable Communication replicas;

  /// @param version2 FSDP2 (`fully_shard`) instead of FSDP1
  /// @param replicas the ranks that hold the same shard; null where every rank holds another
  public FullyShardedPass(
      Communication communication,
      HostCosts host,
      boolean version2,
      boolean reshardAfterForward,
      boolean syncEveryMicroBatch,
      @Nullable Communication replicas) {
    this.communication = communication;
    this.host = host;
    this.version2 = version2;
    this.reshardAfterForward = reshardAfterForward;
    this.syncEveryMicroBatch = syncEveryMicroBatch;
    this.replicas = replicas;
  }

  public LayeredStep apply(LayeredStep step) {
    GraphBuilder builder = step.graph().edit();
    int nccl = builder.resource(Resource.stream("nccl", 0));
    int between = replicas == null ? -1 : builder.resource(Resource.stream("nccl replicas", 0));
    int lastReduction = -1;
    for (int micro = 0; micro < step.micros().size(); micro++) {
      List<LayeredStep.Unit> units = step.micros().get(micro);
      rootGather(builder, nccl, units);
      forward(builder, nccl, units);
      boolean reduces = syncEveryMicroBatch || micro == step.micros().size() - 1;
      int reduction = backward(builder, nccl, between, units, reduces);
      lastReduction = reduction >= 0 ? reduction : lastReduction;
    }
    shardOptimizer(builder, step);
    if (lastReduction >= 0) {
      builder.edge(lastReduction, step.optimizerKernels()[0], EdgeKind.EVENT_WAIT, 0);
    }
    ExecutionGraph changed = builder.build();
    return step.renumbered(builder, changed);
  }

  private void rootGather(GraphBuilder builder, int nccl, List<LayeredStep.Unit> units) {
    double root = 0;
    for (LayeredStep.Unit unit : units) {
      root += unit.isLayer() ? 0 : unit.elements();
    }
    if (root > 0) {
      int first = units.getFirst().forwardLaunches()[0];
      int gather = gather(builder, nccl, first, hookNanos(true), root, "root");
      builder.edge(gather, units.getFirst().forwardKernels()[0], EdgeKind.EVENT_WAIT, 0);
    }
  }

  private void forward(GraphBuilder builder, int nccl, List<LayeredStep.Unit> units) {
    LayeredStep.Unit before = null;
    LayeredStep.Unit twoBefore = null;
    for (LayeredStep.Unit unit : units) {
      if (!unit.isLayer()) {
        continue;
      }
      new Contention(communication)
          .with(CollectiveKind.ALL_GATHER, unit.elements())
          .slow(builder, unit.forwardKernels());
      int gather =
          gather(
              builder,
              nccl,
              unit.forwardLaunches()[0],
              hookNanos(true),
              unit.elements(),
              unit.name());
      builder.edge(gather, unit.forwardKernels()[0], EdgeKind.EVENT_WAIT, 0);
      if (twoBefore != null) {
        builder.edge(
            twoBefore.forwardKernels()[lastPiece(twoBefore)], gather, EdgeKind.EVENT_WAIT, 0);
      }
      twoBefore = before;
      before = unit;
    }
  }

  /// The last reduction, which the optimizer waits for; -1 where none was made.
  private int backward(
      GraphBuilder builder, int nccl, int between, List<LayeredStep.Unit> units, boolean reduces) {
    List<LayeredStep.Unit> layers =
        units.reversed().stream().filter(LayeredStep.Unit::isLayer).toList();
    int scatterBefore = -1;
    int scatter = -1;
    int reduction = -1;
    if (reshardAfterForward && !layers.isEmpty()) {
      gatherForBackward(builder, nccl, layers.getFirst(), layers.getFirst());
    }
    for (int i = 0; i < layers.size(); i++) {
      LayeredStep.Unit unit = layers.get(i);
      if (reshardAfterForward && i + 1 < layers.size()) {
        // Issued before the gradients of this layer are computed: prefetch.
        gatherForBackward(builder, nccl, layers.get(i + 1), unit);
      }
      Contention contention = new Contention(communication);
      if (reshardAfterForward) {
        contention.with(CollectiveKind.ALL_GATHER, unit.elements());
      }
      if (reduces) {
        contention.with(CollectiveKind.REDUCE_SCATTER, unit.elements());
      }
      contention.slow(builder, unit.backwardKernels());
      if (reduces) {
        long hook = hookNanos(false) / (reshardAfterForward ? 2 : 1);
        int made = scatter(builder, nccl, unit, hook, unit.elements(), unit.name());
        if (scatterBefore >= 0) {
          int last = lastPiece(unit);
          builder.edge(scatterBefore, unit.backwardKernels()[last], EdgeKind.EVENT_WAIT, 0);
        }
        scatterBefore = scatter;
        scatter = made;
        reduction = betweenReplicas(builder, between, made, unit.elements(), unit.name());
      }
    }
    double root = 0;
    for (LayeredStep.Unit unit : units) {
      root += unit.isLayer() ? 0 : unit.elements();
    }
    if (!reduces || root == 0) {
      return reduction;
    }
    int last = scatter(builder, nccl, units.getFirst(), hookNanos(false), root, "root");
    return betweenReplicas(builder, between, last, root, "root");
  }

  /// The all-reduce of a reduced shard between its replicas, or the reduce-scatter itself.
  private int betweenReplicas(
      GraphBuilder builder, int stream, int scatter, double elements, String name) {
    if (replicas == null) {
      return scatter;
    }
    int made =
        builder.add(
            NodeKind.COLLECTIVE,
            stream,
            replicas.nanos(CollectiveKind.ALL_REDUCE, elements / communication.ranks()),
            "all-reduce " + name);
    builder.edge(scatter, made, EdgeKind.EVENT_WAIT, 0);
    return made;
  }

  private void gatherForBackward(
      GraphBuilder builder, int nccl, LayeredStep.Unit gathered, LayeredStep.Unit before) {
    int gather =
        gather(
            builder,
            nccl,
            before.backwardLaunches()[0],
            hookNanos(false) / 2,
            gathered.elements(),
            gathered.name());
    builder.edge(gather, gathered.backwardKernels()[0], EdgeKind.EVENT_WAIT, 0);
  }

  private int scatter(
      GraphBuilder builder,
      int nccl,
      LayeredStep.Unit unit,
      long hookNanos,
      double elements,
      String name) {
    int last = lastPiece(unit);
    int hook =
        builder.insertAfter(
            unit.backwardLaunches()[last], NodeKind.CPU_SEGMENT, hookNanos, "FSDP post-backward");
    int issue =
        builder.insertAfter(
            hook, NodeKind.LAUNCH, host.nanos("collective-issue"), "c10d::_reduce_scatter_base_");
    int made =
        builder.add(
            NodeKind.COLLECTIVE,
            nccl,
            communication.nanos(CollectiveKind.REDUCE_SCATTER, elements),
            "reduce-scatter " + name);
    builder.edge(issue, made, EdgeKind.LAUNCH, LayeredStep.LAUNCH_LATENCY_NANOS);
    builder.edge(unit.backwardKernels()[last], made, EdgeKind.EVENT_WAIT, 0);
    return made;
  }

  private static int lastPiece(LayeredStep.Unit unit) {
    return unit.backwardLaunches().length - 1;
  }

  private int gather(
      GraphBuilder builder,
      int nccl,
      int beforeLaunch,
      long hookNanos,
      double elements,
      String unit) {
    builder.insertBefore(beforeLaunch, NodeKind.CPU_SEGMENT, hookNanos, "FSDP hooks");
    int issue =
        builder.insertBefore(
            beforeLaunch,
            NodeKind.LAUNCH,
            host.nanos("collective-issue"),
            "c10d::_allgather_base_");
    int gather =
        builder.add(
            NodeKind.COLLECTIVE,
            nccl,
            communication.nanos(CollectiveKind.ALL_GATHER, elements),
            "all-gather " + unit);
    builder.edge(issue, gather, EdgeKind.LAUNCH, LayeredStep.LAUNCH_LATENCY_NANOS);
    return gather;
  }

  private long hookNanos(boolean forward) {
    return host.nanos((version2 ? "fsdp2-" : "fsdp1-") + (forward ? "forward" : "backward"));
  }

  private void shardOptimizer(GraphBuilder builder, LayeredStep step) {
    for (int kernel : step.optimizerKernels()) {
      builder.scaleDuration(kernel, 1.0 / communication.ranks());
    }
  }
}
