package dev.pitwall.pass.scale;

import dev.pitwall.graph.EdgeKind;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.GraphBuilder;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.graph.Resource;
import dev.pitwall.hardware.CollectiveKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Replicates a step by `DistributedDataParallel`: gradients go in buckets, and a bucket is reduced
/// on a stream of its own as soon as its last gradient is ready, while the backward continues.
///
/// ```
///   host     [bwd 2][issue][bwd 1][issue][bwd 0][issue][optimizer]
///   compute  [bwd 2]  [bwd 1]  [bwd 0]          ╎      [optimizer]
///   nccl             [all-reduce 2][all-reduce 1][all-reduce 0]
/// ```
///
/// Mechanics: `torch/nn/parallel/distributed.py` and `torch/csrc/distributed/c10d/reducer.cpp`,
/// PyTorch 2.13. With accumulation and `no_sync` only the last micro-batch reduces. Where unused
/// parameters are looked for, the host walks the graph after the forward, and a bitmap of the used
/// ones is reduced behind the last bucket.
public final class DataParallelPass {
  /// Bandwidth of the copy of a gradient into its bucket, read and write (h200/calib, add).
  private static final double COPY_BYTES_PER_NANO = 4300;

  private static final int BITMAP_BYTES_PER_PARAMETER = 4;

  private final Communication communication;
  private final HostCosts host;
  private final DataParallelOptions options;

  public DataParallelPass(
      Communication communication, HostCosts host, DataParallelOptions options) {
    this.communication = communication;
    this.host = host;
    this.options = options;
  }

  public LayeredStep apply(LayeredStep step) {
    GraphBuilder builder = step.graph().edit();
    int nccl = builder.resource(Resource.stream("nccl", 0));
    int lastCollective = -1;
    for (int micro = 0; micro < step.micros().size(); micro++) {
      List<LayeredStep.Unit> units = step.micros().get(micro);
      int firstLaunch = units.getFirst().forwardLaunches()[0];
      builder.insertBefore(
          firstLaunch, NodeKind.CPU_SEGMENT, host.nanos("ddp-forward"), "DDP forward");
      boolean reduces = options.syncEveryMicroBatch() || micro == step.micros().size() - 1;
      if (reduces) {
        lastCollective = reduce(builder, nccl, units, lastCollective);
      }
    }
    if (lastCollective >= 0) {
      builder.edge(lastCollective, step.optimizerKernels()[0], EdgeKind.EVENT_WAIT, 0);
    }
    ExecutionGraph changed = builder.build();
    return step.renumbered(builder, changed);
  }

  private int reduce(
      GraphBuilder builder, int nccl, List<LayeredStep.Unit> units, int lastCollective) {
    List<long[]> places = new ArrayList<>();
    List<Long> sizes = new ArrayList<>();
    for (int i = units.size() - 1; i >= 0; i--) {
      long[] gradients = units.get(i).gradientElements();
      for (int g = 0; g < gradients.length; g++) {
        places.add(new long[] {i, g});
        sizes.add(Math.round(gradients[g] * communication.reduceBytes()));
      }
    }
    long[] bytes = sizes.stream().mapToLong(Long::longValue).toArray();
    int[] ends = GradientBuckets.of(bytes, options);
    lengthen(builder, units, bytes, ends);
    int begin = 0;
    int collective = lastCollective;
    Map<Integer, Integer> lastBehind = new HashMap<>();
    for (int end : ends) {
      long total = 0;
      for (int i = begin; i <= end; i++) {
        total += bytes[i];
      }
      begin = end + 1;
      long[] place = places.get(end);
      LayeredStep.Unit unit = units.get((int) place[0]);
      int pieces = unit.backwardLaunches().length;
      int piece =
          (int) Math.min(pieces - 1, (place[1] + 1) * pieces / unit.gradientElements().length);
      int launch = unit.backwardLaunches()[piece];
      int issue =
          builder.insertAfter(
              lastBehind.getOrDefault(launch, launch),
              NodeKind.LAUNCH,
              host.nanos("collective-issue"),
              "c10d::allreduce_");
      lastBehind.put(launch, issue);
      collective =
          builder.add(
              NodeKind.COLLECTIVE,
              nccl,
              communication.nanos(CollectiveKind.ALL_REDUCE, total / communication.reduceBytes()),
              "all-reduce");
      builder.edge(issue, collective, EdgeKind.LAUNCH, LayeredStep.LAUNCH_LATENCY_NANOS);
      builder.edge(unit.backwardKernels()[piece], collective, EdgeKind.EVENT_WAIT, 0);
    }
    if (!options.walksGraph()) {
      return collective;
    }
    int[] backward = units.getFirst().backwardLaunches();
    int last = backward[backward.length - 1];
    return findUnused(builder, nccl, units, bytes.length, lastBehind.getOrDefault(last, last));
  }

  private int findUnused(
      GraphBuilder builder,
      int nccl,
      List<LayeredStep.Unit> units,
      int parameters,
      int afterBackward) {
    int[] forward = units.getLast().forwardLaunches();
    builder.insertAfter(
        forward[forward.length - 1],
        NodeKind.CPU_SEGMENT,
        parameters * host.nanos("ddp-find-unused"),
        "search_unused_parameters");
    int issue =
        builder.insertAfter(
            afterBackward,
            NodeKind.LAUNCH,
            host.nanos("collective-issue"),
            "all_reduce_local_used_map");
    int bitmap =
        builder.add(
            NodeKind.COLLECTIVE,
            nccl,
            communication.nanos(
                CollectiveKind.ALL_REDUCE,
                parameters * BITMAP_BYTES_PER_PARAMETER / communication.reduceBytes()),
            "all-reduce of used parameters");
    builder.edge(issue, bitmap, EdgeKind.LAUNCH, LayeredStep.LAUNCH_LATENCY_NANOS);
    return bitmap;
  }

  /// Hooks on the host, copies into buckets and contention with the collectives on the device.
  private void lengthen(
      GraphBuilder builder, List<LayeredStep.Unit> units, long[] bytes, int[] ends) {
    Contention contention = new Contention(communication);
    int begin = 0;
    for (int end : ends) {
      double total = 0;
      for (int i = begin; i <= end; i++) {
        total += bytes[i];
      }
      begin = end + 1;
      contention.with(CollectiveKind.ALL_REDUCE, total / communication.reduceBytes());
    }
    contention.slow(
        builder,
        units.stream().flatMapToInt(unit -> Arrays.stream(unit.backwardKernels())).toArray());
    long hook = host.nanos("ddp-gradient-hook");
    for (LayeredStep.Unit unit : units) {
      int pieces = unit.backwardLaunches().length;
      long hooks = hook * unit.gradientElements().length / pieces;
      double copy =
          2 * unit.elements() * communication.reduceBytes() / COPY_BYTES_PER_NANO / pieces;
      for (int piece = 0; piece < pieces; piece++) {
        int launch = unit.backwardLaunches()[piece];
        builder.setDurationNanos(launch, builder.durationNanos(launch) + hooks);
        int kernel = unit.backwardKernels()[piece];
        builder.setDurationNanos(kernel, Math.round(builder.durationNanos(kernel) + copy));
      }
    }
  }
}
