package dev.pitwall.trace.pattern;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import java.util.Set;

/// Kernels launched inside steps, by class and precision.
public final class Kernels {
  private Kernels() {}

  /// Rows of the kernels of these classes, by track and start.
  public static int[] ofClass(TraceIndex index, KernelNames kernelNames, Set<KernelClass> classes) {
    Slices slices = index.trace().slices();
    RowList rows = new RowList();
    for (int row : slices.rows(Category.KERNEL)) {
      if (classes.contains(kernelNames.classOf(slices.nameId(row))) && index.stepOf(row) >= 0) {
        rows.add(row);
      }
    }
    return rows.toArray();
  }

  /// Rows of the kernels of these classes that multiply in one of these precisions.
  public static int[] ofPrecision(
      TraceIndex index,
      KernelNames kernelNames,
      Set<KernelClass> classes,
      Set<MatmulPrecision> precisions) {
    Slices slices = index.trace().slices();
    RowList rows = new RowList();
    for (int row : ofClass(index, kernelNames, classes)) {
      if (precisions.contains(kernelNames.precisionOf(slices.nameId(row)))) {
        rows.add(row);
      }
    }
    return rows.toArray();
  }
}
