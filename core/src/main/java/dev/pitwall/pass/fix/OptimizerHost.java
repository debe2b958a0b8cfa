package dev.pitwall.pass.fix;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.OptimizerSteps.OptimizerStep;

/// The host's side of an optimizer step.
final class OptimizerHost {
  private OptimizerHost() {}

  /// One past the last row of the thread that starts inside the optimizer step.
  static int endRow(TraceIndex index, OptimizerStep step) {
    Slices slices = index.trace().slices();
    int end = index.trace().endRow(slices.track(step.row()));
    int row = step.firstRow();
    while (row < end && slices.startNanos(row) < slices.endNanos(step.row())) {
      row++;
    }
    return row;
  }

  /// Parameters with a gradient in the training step that an optimizer step belongs to: gradients
  /// accumulated since the step began, at most once a parameter where nothing is accumulated twice.
  static int parameters(TraceIndex index, OptimizerStep step) {
    return index.occurrences(
        index.stepOf(step.row()), Category.CPU_OP, "torch::autograd::AccumulateGrad");
  }
}
