package dev.pitwall.pass.scale;

import dev.pitwall.graph.EdgeKind;
import dev.pitwall.graph.GraphBuilder;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.graph.Resource;
import java.util.List;

/// Puts collectives into each layer that the next kernel waits for: the all-reduces of tensor
/// parallelism behind attention and behind the feed-forward (arXiv 1909.08053, section 3), the
/// all-to-alls of expert parallelism around the experts.
///
/// ```
///   compute  [attention]         [feed-forward]          [next layer]
///   nccl                [reduce]               [reduce]
/// ```
///
/// A backward that recomputes its forward repeats the forward's collectives too.
public final class BlockingCollectivePass {
  /// One collective of a layer.
  ///
  /// @param label as it is drawn
  /// @param nanos its time, or the part of it that nothing hides
  /// @param behindAttention whether it follows the first half of the layer, as opposed to the whole
  public record Placed(String label, long nanos, boolean behindAttention) {}

  private final String stream;
  private final List<Placed> forward;
  private final boolean recomputes;

  /// @param stream name of the communicator's stream
  /// @param forward collectives of one layer's forward; the backward has as many
  /// @param recomputes whether the backward repeats those of the forward
  public BlockingCollectivePass(String stream, List<Placed> forward, boolean recomputes) {
    this.stream = stream;
    this.forward = List.copyOf(forward);
    this.recomputes = recomputes;
  }

  public LayeredStep apply(LayeredStep step) {
    GraphBuilder builder = step.graph().edit();
    int nccl = builder.resource(Resource.stream(stream, 0));
    for (List<LayeredStep.Unit> units : step.micros()) {
      for (LayeredStep.Unit unit : units) {
        if (unit.isLayer()) {
          insert(builder, nccl, unit.forwardKernels(), 1);
        }
      }
      for (LayeredStep.Unit unit : units.reversed()) {
        if (unit.isLayer()) {
          insert(builder, nccl, unit.backwardKernels(), recomputes ? 2 : 1);
        }
      }
    }
    return step.renumbered(builder, builder.build());
  }

  private void insert(GraphBuilder builder, int nccl, int[] kernels, int times) {
    for (boolean half : new boolean[] {true, false}) {
      int before = kernels[half ? kernels.length / 2 - 1 : kernels.length - 1];
      int after = builder.nextOnResource(before);
      for (Placed placed : forward) {
        if (placed.behindAttention() != half || placed.nanos() == 0) {
          continue;
        }
        int made = builder.add(NodeKind.COLLECTIVE, nccl, placed.nanos() * times, placed.label());
        builder.edge(before, made, EdgeKind.EVENT_WAIT, 0);
        if (after >= 0) {
          builder.edge(made, after, EdgeKind.EVENT_WAIT, 0);
        }
      }
    }
  }
}
