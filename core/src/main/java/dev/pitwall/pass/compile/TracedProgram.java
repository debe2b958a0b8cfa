package dev.pitwall.pass.compile;

import java.util.List;

/// The operators of one step that `torch.compile` would take over, forward and backward in order of
/// their calls, and how they fall into regions: a graph break ends one.
///
/// @param step index of the step in the trace
/// @param regions in order; those of the forward first
/// @param parameters tensors that got a gradient
public record TracedProgram(int step, List<Region> regions, int parameters) {
  /// A run of operators that become one compiled graph.
  ///
  /// @param isBackward whether autograd runs it
  /// @param isCompiled false where the whole frame would stay eager
  public record Region(boolean isBackward, boolean isCompiled, List<TracedOperator> operators) {
    public Region {
      operators = List.copyOf(operators);
    }
  }

  public TracedProgram {
    regions = List.copyOf(regions);
  }

  /// Graph breaks that remain, seen as host waits in the forward.
  public int breaks() {
    return (int) regions.stream().filter(region -> !region.isBackward()).count() - 1;
  }
}
