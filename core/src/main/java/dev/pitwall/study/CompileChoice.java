package dev.pitwall.study;

import dev.pitwall.pass.compile.CompileMode;
import java.util.Map;
import java.util.Optional;

/// The mode of `torch.compile` to try first: the one place that picks it, for every report.
///
/// @param prediction what the mode alone does
/// @param shapesVary whether shapes differ from step to step: then every new shape would record
///     another CUDA graph, so that only the default mode, with dynamic shapes, is one
public record CompileChoice(CompileMode mode, Prediction prediction, boolean shapesVary) {
  /// A mode further down the list must beat those before it by this share of the step: it compiles
  /// longer, or copies inputs.
  private static final double WORTH_MORE = 0.02;

  /// The choice among these predictions; empty where there is none.
  static Optional<CompileChoice> of(Map<CompileMode, Prediction> byMode, boolean shapesVary) {
    CompileChoice best = null;
    for (CompileMode mode : CompileMode.values()) {
      Prediction one = byMode.get(mode);
      if (one == null || shapesVary && mode.usesCudaGraphs()) {
        continue;
      }
      if (best == null
          || one.gain().fraction() > best.prediction().gain().fraction() + WORTH_MORE) {
        best = new CompileChoice(mode, one, shapesVary);
      }
    }
    return Optional.ofNullable(best);
  }

  /// As it is written in the program.
  public String code() {
    if (shapesVary) {
      return "model = torch.compile(model, dynamic=True)";
    }
    return mode == CompileMode.DEFAULT
        ? "model = torch.compile(model)"
        : "model = torch.compile(model, mode=\"" + mode.spelling() + "\")";
  }
}
