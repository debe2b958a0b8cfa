package dev.pitwall.trace.pattern;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/// The optimizer's part of each step: PyTorch's annotation `Optimizer.step#AdamW.step`, what it
/// launched, and how it is implemented.
public final class OptimizerSteps {
  /// What updates parameters, and no clipping of gradients by the way does.
  private static final List<String> FOREACH_UPDATES =
      List.of(
          "aten::_foreach_add", "aten::_foreach_lerp", "aten::_foreach_sub", "aten::_foreach_copy");

  private OptimizerSteps() {}

  /// How an optimizer updates its parameters.
  public enum Implementation {
    /// A few kernels for each parameter.
    FOR_LOOP,
    /// Each operation over all parameters at once (`aten::_foreach_*`).
    FOREACH,
    /// The whole update in one kernel over all parameters (`aten::_fused_*`).
    FUSED,
    /// Compiled, or in some other way not told from its operators.
    OTHER
  }

  /// One call of an optimizer's `step`.
  ///
  /// @param row the annotation
  /// @param firstRow the first row of its thread that is its own: behind the closure, where it has
  ///     one ([OptimizerPart])
  /// @param optimizer its class, such as `AdamW`
  /// @param deviceRows what it launched, in order of launch
  public record OptimizerStep(
      int row, int firstRow, String optimizer, Implementation implementation, int[] deviceRows) {}

  /// The optimizer steps inside training steps, in order of time. Where one calls another (a
  /// framework's wrapper, with an annotation of the same kind), the inner one.
  public static List<OptimizerStep> find(TraceIndex index) {
    Trace trace = index.trace();
    Slices slices = trace.slices();
    boolean[] isStep = new boolean[trace.names().size()];
    for (int id = 0; id < isStep.length; id++) {
      isStep[id] = trace.names().text(id).startsWith(OptimizerPart.STEP);
    }
    OptimizerPart part = OptimizerPart.of(index);
    Deque<OptimizerStep> steps = new ArrayDeque<>();
    for (int row : slices.rows(Category.USER_ANNOTATION)) {
      if (isStep[slices.nameId(row)] && index.stepOf(row) >= 0) {
        if (!steps.isEmpty() && isInside(index, row, steps.getLast().row())) {
          steps.removeLast();
        }
        int first = part.firstOwnRow(row);
        RowList launched = new RowList();
        LaunchedWork.collect(index, first, row, launched);
        steps.add(
            new OptimizerStep(
                row,
                first,
                optimizerName(trace.name(row)),
                implementation(index, first, row, launched.size()),
                launched.toArray()));
      }
    }
    return List.copyOf(steps);
  }

  private static boolean isInside(TraceIndex index, int row, int annotation) {
    int at = row;
    while (at != Slices.NONE && at != annotation) {
      at = index.calls().parent(at);
    }
    return at == annotation;
  }

  private static String optimizerName(String annotation) {
    String name = annotation.substring(OptimizerPart.STEP.length());
    return name.endsWith(".step") ? name.substring(0, name.length() - 5) : name;
  }

  private static Implementation implementation(
      TraceIndex index, int firstRow, int annotation, int launched) {
    Trace trace = index.trace();
    Slices slices = trace.slices();
    long end = slices.endNanos(annotation);
    int updates = 0;
    boolean foreach = false;
    for (int row = firstRow;
        row < trace.endRow(slices.track(annotation)) && slices.startNanos(row) < end;
        row++) {
      if (slices.category(row) != Category.CPU_OP) {
        continue;
      }
      String name = trace.name(row);
      if (name.startsWith("aten::_fused_")) {
        return Implementation.FUSED;
      }
      foreach |= FOREACH_UPDATES.stream().anyMatch(name::startsWith);
      if (name.equals("aten::addcdiv_")
          || name.equals("aten::add_")
          || name.equals("aten::lerp_")) {
        updates++;
      }
    }
    if (foreach) {
      return Implementation.FOREACH;
    }
    return updates >= 3 && launched >= updates ? Implementation.FOR_LOOP : Implementation.OTHER;
  }
}
