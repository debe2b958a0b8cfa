package dev.pitwall.trace.pattern;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;

/// Work done because gradients are zeroed in place (`zero_grad(set_to_none=False)`) instead of
/// dropped: the fills, and the additions that the next backward then needs where it could have
/// stored.
///
/// ```
/// set_to_none=False   fill 0 | backward: compute, add to the gradient
/// set_to_none=True             backward: compute, keep as the gradient
/// ```
public final class GradientFills {
  private static final String ZERO_GRAD = "Optimizer.zero_grad#";
  private static final String ACCUMULATE = "torch::autograd::AccumulateGrad";

  private GradientFills() {}

  /// The device rows of the fills, empty where gradients are dropped.
  public static int[] findFills(TraceIndex index) {
    Trace trace = index.trace();
    RowList rows = new RowList();
    for (int row : trace.slices().rows(Category.USER_ANNOTATION)) {
      if (index.stepOf(row) >= 0 && trace.name(row).startsWith(ZERO_GRAD)) {
        LaunchedWork.collect(index, row, rows);
      }
    }
    return rows.toArray();
  }

  /// The device rows of the additions to gradients that exist already. With gradient accumulation
  /// over several backward passes they are needed; without it only fills make them so.
  public static int[] findAccumulations(TraceIndex index) {
    Trace trace = index.trace();
    Slices slices = trace.slices();
    int accumulate = trace.names().find(ACCUMULATE);
    RowList rows = new RowList();
    if (accumulate < 0) {
      return rows.toArray();
    }
    for (int row : slices.rows(Category.CPU_OP)) {
      if (slices.nameId(row) == accumulate && index.stepOf(row) >= 0) {
        LaunchedWork.collect(index, row, rows);
      }
    }
    return rows.toArray();
  }
}
