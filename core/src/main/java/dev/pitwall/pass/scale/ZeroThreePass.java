package dev.pitwall.pass.scale;

import dev.pitwall.graph.EdgeKind;
import dev.pitwall.graph.GraphBuilder;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.graph.Resource;
import dev.pitwall.hardware.CollectiveKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Shards a step by DeepSpeed's ZeRO-3: parameters are gathered one by one or in prefetch buckets
/// ([ZeroThreeSchedule]), gradients are reduced when a bucket is full, and every micro-batch does
/// both. All collectives share one communicator.
///
/// ```
///   host     [gather 0][ahead 1 2][fwd]  ...  [bwd][reduce bucket] ... [optimizer]
///   compute            [fwd 0][fwd 1][fwd 2]  ...  [bwd 2][bwd 1][bwd 0]
///   nccl     [gather 0][gather 1 2]   ...               [reduce-scatter]
/// ```
///
/// Mechanics: `partitioned_param_coordinator.py` and `stage3.py` (`reduce_independent_p_g_buckets`)
/// of DeepSpeed. The host pays for each collective it issues and for the hook of each gradient.
public final class ZeroThreePass {
  private final Communication communication;
  private final HostCosts host;
  private final ZeroThreeOptions options;

  public ZeroThreePass(Communication communication, HostCosts host, ZeroThreeOptions options) {
    this.communication = communication;
    this.host = host;
    this.options = options;
  }

  /// One use of a parameter: in which nodes it happens.
  private record Use(int parameter, int launch, int kernel) {}

  public LayeredStep apply(LayeredStep step) {
    GraphBuilder builder = step.graph().edit();
    int nccl = builder.resource(Resource.stream("nccl", 0));
    int last = -1;
    for (List<LayeredStep.Unit> units : step.micros()) {
      last = new MicroBatch(builder, nccl, units).apply();
    }
    for (int kernel : step.optimizerKernels()) {
      builder.scaleDuration(kernel, 1.0 / communication.ranks());
    }
    builder.edge(last, step.optimizerKernels()[0], EdgeKind.EVENT_WAIT, 0);
    return step.renumbered(builder, builder.build());
  }

  private final class MicroBatch {
    /// `__max_ongoing_fetch_events`: the host waits where more gathers than these are not yet done.
    private static final int GATHERS_AHEAD_OF_THE_DEVICE = 2;

    private final GraphBuilder builder;
    private final int nccl;
    private final List<Use> uses = new ArrayList<>();
    private final long[] elements;
    private final List<Integer> waitedFor = new ArrayList<>();

    MicroBatch(GraphBuilder builder, int nccl, List<LayeredStep.Unit> units) {
      this.builder = builder;
      this.nccl = nccl;
      this.elements = read(units);
    }

    /// Fills in the uses, forward then backward, and answers the elements of each parameter.
    /// Gradients become ready in the reverse of the order of the forward.
    private long[] read(List<LayeredStep.Unit> units) {
      List<Long> sizes = new ArrayList<>();
      List<Use> backward = new ArrayList<>();
      for (LayeredStep.Unit unit : units) {
        int count = unit.gradientElements().length;
        int pieces = unit.forwardLaunches().length;
        for (int i = 0; i < count; i++) {
          int parameter = sizes.size();
          sizes.add(unit.gradientElements()[count - 1 - i]);
          int piece = i * pieces / count;
          int mirrored = pieces - 1 - piece;
          uses.add(new Use(parameter, unit.forwardLaunches()[piece], unit.forwardKernels()[piece]));
          backward.add(
              new Use(
                  parameter, unit.backwardLaunches()[mirrored], unit.backwardKernels()[mirrored]));
        }
      }
      uses.addAll(backward.reversed());
      return sizes.stream().mapToLong(Long::longValue).toArray();
    }

    /// The last reduction.
    int apply() {
      int[] order = uses.stream().mapToInt(Use::parameter).toArray();
      List<ZeroThreeSchedule.Gather> gathers =
          new ZeroThreeSchedule(order, elements, options).gathers();
      int next = 0;
      long bucket = 0;
      int reduction = -1;
      Contention forward = new Contention(communication);
      Contention backward = new Contention(communication);
      for (int i = 0; i < uses.size(); i++) {
        Use use = uses.get(i);
        while (next < gathers.size() && gathers.get(next).beforeUse() == i) {
          (i < elements.length ? forward : backward)
              .with(CollectiveKind.ALL_GATHER, gathers.get(next).elements());
          gather(gathers.get(next++), use);
        }
        if (i < elements.length) {
          continue;
        }
        long own = elements[use.parameter()];
        if (bucket > 0 && bucket + own > options.reduceBucket()) {
          reduction = reduce(uses.get(i - 1), bucket);
          bucket = 0;
        }
        bucket += own;
        builder.setDurationNanos(
            use.launch(), builder.durationNanos(use.launch()) + host.nanos("ddp-gradient-hook"));
      }
      backward.with(CollectiveKind.REDUCE_SCATTER, Arrays.stream(elements).sum());
      forward.slow(builder, kernels(uses.subList(0, elements.length)));
      backward.slow(builder, kernels(uses.subList(elements.length, uses.size())));
      return bucket > 0 ? reduce(uses.getLast(), bucket) : reduction;
    }

    private static int[] kernels(List<Use> uses) {
      return uses.stream().mapToInt(Use::kernel).distinct().toArray();
    }

    private void gather(ZeroThreeSchedule.Gather gather, Use at) {
      if (waitedFor.size() > GATHERS_AHEAD_OF_THE_DEVICE) {
        int wait = builder.insertBefore(at.launch(), NodeKind.HOST_WAIT, 0, "fetch event");
        int oldest = waitedFor.get(waitedFor.size() - 1 - GATHERS_AHEAD_OF_THE_DEVICE);
        builder.edge(oldest, wait, EdgeKind.HOST_SYNC, 0);
      }
      int issue =
          builder.insertBefore(
              at.launch(),
              NodeKind.LAUNCH,
              host.nanos("collective-issue"),
              gather.prefetched() ? "prefetch" : "fetch");
      int made =
          builder.add(
              NodeKind.COLLECTIVE,
              nccl,
              communication.nanos(CollectiveKind.ALL_GATHER, gather.elements()),
              "all-gather");
      builder.edge(issue, made, EdgeKind.LAUNCH, LayeredStep.LAUNCH_LATENCY_NANOS);
      builder.edge(made, uses.get(gather.firstNeededAt()).kernel(), EdgeKind.EVENT_WAIT, 0);
      waitedFor.add(made);
    }

    private int reduce(Use behind, long bucket) {
      int issue =
          builder.insertAfter(
              behind.launch(),
              NodeKind.LAUNCH,
              host.nanos("collective-issue"),
              "c10d::_reduce_scatter_base_");
      int made =
          builder.add(
              NodeKind.COLLECTIVE,
              nccl,
              communication.nanos(CollectiveKind.REDUCE_SCATTER, bucket),
              "reduce-scatter");
      builder.edge(issue, made, EdgeKind.LAUNCH, LayeredStep.LAUNCH_LATENCY_NANOS);
      builder.edge(behind.kernel(), made, EdgeKind.EVENT_WAIT, 0);
      return made;
    }
  }
}
