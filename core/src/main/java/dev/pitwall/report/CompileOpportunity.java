package dev.pitwall.report;

import dev.pitwall.finding.Evidence;
import dev.pitwall.finding.Finding;
import dev.pitwall.finding.Fix;
import dev.pitwall.finding.Gain;
import dev.pitwall.finding.Severity;
import dev.pitwall.pass.compile.CompileMode;
import dev.pitwall.pass.compile.CompileModePass;
import dev.pitwall.study.CompileChoice;
import dev.pitwall.study.WhatIf;
import java.util.List;
import java.util.Optional;

/// What `torch.compile` would do for an eager program, in the mode that gains most: simulated on
/// the step's graph, and left out where it gains nothing.
final class CompileOpportunity {
  /// A mode must save this share of the step to be worth its compile time.
  private static final double LEAST_SHARE = 0.02;

  private CompileOpportunity() {}

  /// @param evidence kernels of the eager program, the costliest first
  static Optional<Finding> of(WhatIf study, List<Evidence> evidence) {
    return study
        .compileChoice()
        .filter(choice -> choice.prediction().gain().fraction() >= LEAST_SHARE)
        .map(choice -> finding(choice, evidence));
  }

  private static Finding finding(CompileChoice choice, List<Evidence> evidence) {
    Gain gain = choice.prediction().gain();
    boolean usual = choice.mode() == CompileMode.DEFAULT;
    return new Finding(
        CompileModePass.ID,
        Severity.ofFraction(gain.fraction()),
        "torch.compile"
            + (usual ? "" : " in mode " + choice.mode().spelling())
            + " would save about "
            + Quantity.millis(gain.millis().value())
            + " a step.",
        "The program runs operator by operator. Compiled, chains of pointwise operators and"
            + " reductions become one kernel each, so that intermediate tensors no longer go"
            + " through memory"
            + (usual ? "." : ", and the whole step is replayed as a CUDA graph with one launch."),
        new Fix(
            choice.shapesVary()
                ? "Shapes vary from step to step, so compile for dynamic shapes, or pad to a few"
                    + " lengths: else each new shape compiles again, and a mode with CUDA graphs"
                    + " records another graph. Measure with `pitwall tune`."
                : "Compile the model once, keep shapes fixed, and measure: `pitwall tune` tries"
                    + " every mode on your program.",
            choice.code(),
            "https://docs.pytorch.org/docs/stable/generated/torch.compile.html"),
        gain,
        evidence);
  }
}
