package dev.pitwall.pass.scale;

import dev.pitwall.graph.EdgeKind;
import dev.pitwall.graph.GraphBuilder;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.graph.Resource;
import java.util.List;

/// Splits each layer's attention over a ring of ranks (context parallelism): a rank works on the
/// keys and values it holds while those of its neighbour arrive.
///
/// ```
///   compute  [projections][attention 0][attention 1]  [attention 2] ... [rest]
///   nccl                  [receive 1  ][receive 2      ]
/// ```
///
/// The backward passes on the gradients of keys and values too, so each of its transfers carries
/// twice as much, and the last brings them home (ring attention, arXiv 2310.01889).
public final class RingAttentionPass {
  /// Gradients of keys and values travel with them.
  private static final int BACKWARD_TRANSFER = 2;

  private final int ranks;
  private final long transferNanos;
  private final long attentionForwardNanos;
  private final long attentionBackwardNanos;

  /// @param transferNanos one rank's keys and values of one layer to its neighbour
  /// @param attentionForwardNanos attention of one layer on this rank, part of the layer's forward
  /// @param attentionBackwardNanos the same for the backward
  public RingAttentionPass(
      int ranks, long transferNanos, long attentionForwardNanos, long attentionBackwardNanos) {
    this.ranks = ranks;
    this.transferNanos = transferNanos;
    this.attentionForwardNanos = attentionForwardNanos;
    this.attentionBackwardNanos = attentionBackwardNanos;
  }

  public LayeredStep apply(LayeredStep step) {
    if (ranks == 1) {
      return step;
    }
    GraphBuilder builder = step.graph().edit();
    int nccl = builder.resource(Resource.stream("nccl context", 0));
    for (List<LayeredStep.Unit> units : step.micros()) {
      for (LayeredStep.Unit unit : units) {
        if (unit.isLayer()) {
          ring(
              builder,
              nccl,
              unit.forwardKernels(),
              attentionForwardNanos,
              transferNanos,
              ranks - 1);
        }
      }
      for (LayeredStep.Unit unit : units.reversed()) {
        if (unit.isLayer()) {
          ring(
              builder,
              nccl,
              unit.backwardKernels(),
              attentionBackwardNanos,
              BACKWARD_TRANSFER * transferNanos,
              ranks);
        }
      }
    }
    return step.renumbered(builder, builder.build());
  }

  /// Takes attention out of a layer's kernels and puts it behind the first, one kernel a block.
  private void ring(
      GraphBuilder builder,
      int nccl,
      int[] kernels,
      long attentionNanos,
      long transfer,
      int transfers) {
    long total = 0;
    for (int kernel : kernels) {
      total += builder.durationNanos(kernel);
    }
    long attention = Math.min(attentionNanos, total);
    for (int kernel : kernels) {
      builder.scaleDuration(kernel, 1 - attention / (double) Math.max(1, total));
    }
    int projections = kernels[0];
    int at = projections;
    for (int block = 0; block < ranks; block++) {
      int kernel = builder.insertAfter(at, NodeKind.KERNEL, attention / ranks, "attention");
      if (block > 0) {
        receive(builder, nccl, projections, kernel, transfer);
      }
      at = kernel;
    }
    if (transfers == ranks) {
      receive(builder, nccl, at, builder.nextOnResource(at), transfer);
    }
  }

  private static void receive(GraphBuilder builder, int nccl, int after, int before, long nanos) {
    int made = builder.add(NodeKind.COLLECTIVE, nccl, nanos, "keys and values");
    builder.edge(after, made, EdgeKind.EVENT_WAIT, 0);
    if (before >= 0) {
      builder.edge(made, before, EdgeKind.EVENT_WAIT, 0);
    }
  }
}
