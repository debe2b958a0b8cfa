package dev.pitwall.pass.scale;

import dev.pitwall.graph.GraphBuilder;
import java.util.List;

/// Recomputes each layer's forward before its backward (`torch.utils.checkpoint`).
///
/// ```
///   before   [fwd 0][fwd 1]  [bwd 1]        [bwd 0]
///   after    [fwd 0][fwd 1]  [fwd 1][bwd 1] [fwd 0][bwd 0]
/// ```
public final class CheckpointPass {
  private final HostCosts host;

  public CheckpointPass(HostCosts host) {
    this.host = host;
  }

  public LayeredStep apply(LayeredStep step) {
    GraphBuilder builder = step.graph().edit();
    for (List<LayeredStep.Unit> units : step.micros()) {
      for (LayeredStep.Unit unit : units) {
        if (unit.isLayer()) {
          recompute(builder, unit);
        }
      }
    }
    return step.renumbered(builder, builder.build());
  }

  /// The forward runs in the backward's own pieces: the same total, interleaved by piece.
  private void recompute(GraphBuilder builder, LayeredStep.Unit unit) {
    int pieces = unit.backwardLaunches().length;
    long bookkeeping = host.nanos("checkpoint-layer") / pieces;
    for (int piece = 0; piece < pieces; piece++) {
      int launch = unit.backwardLaunches()[piece];
      int kernel = unit.backwardKernels()[piece];
      builder.setDurationNanos(
          launch,
          builder.durationNanos(launch)
              + builder.durationNanos(unit.forwardLaunches()[piece])
              + bookkeeping);
      builder.setDurationNanos(
          kernel,
          builder.durationNanos(kernel) + builder.durationNanos(unit.forwardKernels()[piece]));
    }
  }
}
