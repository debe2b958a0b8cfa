package dev.pitwall.trace.pattern;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import java.util.BitSet;
import java.util.Set;

/// Whether the program gives its products and convolutions other shapes from step to step, as with
/// sequences of varying length.
public final class VaryingShapes {
  private static final Set<String> PRODUCTS =
      Set.of("aten::mm", "aten::addmm", "aten::bmm", "aten::convolution");

  private VaryingShapes() {}

  /// False without at least two steps or without recorded shapes.
  public static boolean betweenSteps(TraceIndex index) {
    Slices slices = index.trace().slices();
    boolean[] isProduct = new boolean[index.trace().names().size()];
    for (int name = 0; name < isProduct.length; name++) {
      isProduct[name] = PRODUCTS.contains(index.trace().names().text(name));
    }
    BitSet[] shapesOfStep = new BitSet[index.steps().count()];
    for (int row : slices.rows(Category.CPU_OP)) {
      if (!isProduct[slices.nameId(row)]) {
        continue;
      }
      int step = index.stepOf(row);
      int detail = slices.operatorDetail(row);
      if (step >= 0 && detail != Slices.NONE && slices.operators().inputShapesId(detail) >= 0) {
        BitSet shapes = shapesOfStep[step] == null ? new BitSet() : shapesOfStep[step];
        shapes.set(slices.operators().inputShapesId(detail));
        shapesOfStep[step] = shapes;
      }
    }
    BitSet first = null;
    for (BitSet shapes : shapesOfStep) {
      if (shapes != null && first != null && !shapes.equals(first)) {
        return true;
      }
      first = first == null ? shapes : first;
    }
    return false;
  }
}
