package dev.pitwall.pass.fix;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.OptimizerSteps.OptimizerStep;

/// The host's side of an optimizer step.
final class OptimizerHost {
  private OptimizerHost() {}

  /// One past the last row of the thread that starts inside the optimizer step.
  static int endRow(TraceIndex index, OptimizerStep step) {
    Slices slices = index.trace().slices();
    int end = index.trace().endRow(slices.track(step.row()));
    int row = step.row();
    while (row < end && slices.startNanos(row) < slices.endNanos(step.row())) {
      row++;
    }
    return row;
  }

  /// Parameters with a gradient in the training step that an optimizer step belongs to: gradients
  /// accumulated since the step began, at most once a parameter where nothing is accumulated twice.
  static int parameters(TraceIndex index, OptimizerStep step) {
    Trace trace = index.trace();
    int trainingStep = index.stepOf(step.row());
    int accumulate = trace.names().find("torch::autograd::AccumulateGrad");
    int count = 0;
    for (int row = 0; accumulate >= 0 && row < trace.slices().size(); row++) {
      if (trace.slices().nameId(row) == accumulate
          && trace.slices().category(row) == Category.CPU_OP
          && index.stepOf(row) == trainingStep) {
        count++;
      }
    }
    return count;
  }
}
