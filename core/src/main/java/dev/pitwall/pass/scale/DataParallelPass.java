package dev.pitwall.pass.scale;

import dev.pitwall.graph.EdgeKind;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.GraphBuilder;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.graph.Resource;
import dev.pitwall.hardware.CollectiveKind;
import java.util.ArrayList;
import java.util.List;

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
/// PyTorch 2.13. With accumulation and `no_sync` only the last micro-batch reduces.
public final class DataParallelPass {
  /// `_DEFAULT_FIRST_BUCKET_BYTES`: the first bucket, where the cap is left at its default.
  private static final long FIRST_BUCKET_BYTES = 1L << 20;

  private static final double MIB = 1L << 20;

  /// Bandwidth of the copy of a gradient into its bucket, read and write (h200/calib, add).
  private static final double COPY_BYTES_PER_NANO = 4300;

  private final Communication communication;
  private final HostCosts host;
  private final double bucketCapMib;
  private final boolean syncEveryMicroBatch;
  private final boolean findUnusedParameters;

  /// @param bucketCapMib `bucket_cap_mb`; 0 for the default of 25 with a first bucket of 1 MiB
  /// @param syncEveryMicroBatch gradients are reduced in every micro-batch (no `no_sync`)
  public DataParallelPass(
      Communication communication,
      HostCosts host,
      double bucketCapMib,
      boolean syncEveryMicroBatch,
      boolean findUnusedParameters) {
    this.communication = communication;
    this.host = host;
    this.bucketCapMib = bucketCapMib;
    this.syncEveryMicroBatch = syncEveryMicroBatch;
    this.findUnusedParameters = findUnusedParameters;
  }

  /// The sizes of the buckets in elements' bytes for gradients that become ready in this order, as
  /// `compute_bucket_assignment_by_size` cuts them: a bucket closes with the gradient that reaches
  /// its cap.
  ///
  /// @param bytes of each gradient in order of readiness
  /// @return for each bucket the index of its last gradient
  public static int[] buckets(long[] bytes, double bucketCapMib) {
    List<Integer> ends = new ArrayList<>();
    double cap = bucketCapMib > 0 ? bucketCapMib * MIB : 25 * MIB;
    double first = bucketCapMib > 0 ? cap : FIRST_BUCKET_BYTES;
    double filled = 0;
    for (int i = 0; i < bytes.length; i++) {
      filled += bytes[i];
      if (filled >= (ends.isEmpty() ? first : cap)) {
        ends.add(i);
        filled = 0;
      }
    }
    if (filled > 0) {
      ends.add(bytes.length - 1);
    }
    return ends.stream().mapToInt(Integer::intValue).toArray();
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
      boolean reduces = syncEveryMicroBatch || micro == step.micros().size() - 1;
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
    int[] ends = buckets(bytes, bucketCapMib);
    lengthen(builder, units, bytes, ends);
    int begin = 0;
    int collective = lastCollective;
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
      int issue =
          builder.insertAfter(
              unit.backwardLaunches()[piece],
              NodeKind.LAUNCH,
              host.nanos("collective-issue"),
              "c10d::allreduce_");
      collective =
          builder.add(
              NodeKind.COLLECTIVE,
              nccl,
              communication.nanos(CollectiveKind.ALL_REDUCE, total / communication.reduceBytes()),
              "all-reduce");
      builder.edge(issue, collective, EdgeKind.LAUNCH, 5_000);
      builder.edge(unit.backwardKernels()[piece], collective, EdgeKind.EVENT_WAIT, 0);
    }
    return collective;
  }

  /// Hooks on the host, copies into buckets and contention with the collectives on the device.
  private void lengthen(
      GraphBuilder builder, List<LayeredStep.Unit> units, long[] bytes, int[] ends) {
    double backward = 0;
    for (LayeredStep.Unit unit : units) {
      for (int kernel : unit.backwardKernels()) {
        backward += builder.durationNanos(kernel);
      }
    }
    double reducing = 0;
    int begin = 0;
    for (int end : ends) {
      double total = 0;
      for (int i = begin; i <= end; i++) {
        total += bytes[i];
      }
      begin = end + 1;
      reducing +=
          communication.nanos(CollectiveKind.ALL_REDUCE, total / communication.reduceBytes());
    }
    double slower =
        1 + Communication.CONTENTION * Math.min(reducing, backward) / Math.max(1, backward);
    long hook =
        host.nanos("ddp-gradient-hook")
            + (findUnusedParameters ? host.nanos("ddp-find-unused") : 0);
    for (LayeredStep.Unit unit : units) {
      int pieces = unit.backwardLaunches().length;
      long hooks = hook * unit.gradientElements().length / pieces;
      double copy =
          2 * unit.elements() * communication.reduceBytes() / COPY_BYTES_PER_NANO / pieces;
      for (int piece = 0; piece < pieces; piece++) {
        int launch = unit.backwardLaunches()[piece];
        builder.setDurationNanos(launch, builder.durationNanos(launch) + hooks);
        int kernel = unit.backwardKernels()[piece];
        builder.setDurationNanos(kernel, Math.round(builder.durationNanos(kernel) * slower + copy));
      }
    }
  }
}
