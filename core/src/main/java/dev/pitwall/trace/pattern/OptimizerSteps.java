package dev.pitwall.trace.pattern;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import java.util.ArrayList;
import java.util.List;

/// The optimizer's part of each step: PyTorch's annotation `Optimizer.step#AdamW.step`, what it
/// launched, and how it is implemented.
public final class OptimizerSteps {
  private static final String STEP = "Optimizer.step#";

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
  /// @param optimizer its class, such as `AdamW`
  /// @param deviceRows what it launched, in order of launch
  public record OptimizerStep(
      int row, String optimizer, Implementation implementation, int[] deviceRows) {}

  /// The optimizer steps inside training steps, in order of time.
  public static List<OptimizerStep> find(TraceIndex index) {
    Trace trace = index.trace();
    Slices slices = trace.slices();
    boolean[] isStep = new boolean[trace.names().size()];
    for (int id = 0; id < isStep.length; id++) {
      isStep[id] = trace.names().text(id).startsWith(STEP);
    }
    List<OptimizerStep> steps = new ArrayList<>();
    for (int row : slices.rows(Category.USER_ANNOTATION)) {
      if (isStep[slices.nameId(row)] && index.stepOf(row) >= 0) {
        RowList launched = new RowList();
        LaunchedWork.collect(index, row, launched);
        steps.add(
            new OptimizerStep(
                row,
                optimizerName(trace.name(row)),
                implementation(index, row, launched.size()),
                launched.toArray()));
      }
    }
    return steps;
  }

  private static String optimizerName(String annotation) {
    String name = annotation.substring(STEP.length());
    return name.endsWith(".step") ? name.substring(0, name.length() - 5) : name;
  }

  private static Implementation implementation(TraceIndex index, int annotation, int launched) {
    Trace trace = index.trace();
    Slices slices = trace.slices();
    long end = slices.endNanos(annotation);
    int updates = 0;
    boolean foreach = false;
    for (int row = annotation + 1;
        row < trace.endRow(slices.track(annotation)) && slices.startNanos(row) < end;
        row++) {
      if (slices.category(row) != Category.CPU_OP) {
        continue;
      }
      String name = trace.name(row);
      if (name.startsWith("aten::_fused_")) {
        return Implementation.FUSED;
      }
      foreach |= name.startsWith("aten::_foreach_");
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
