package dev.pitwall.report;

import dev.pitwall.finding.Evidence;
import dev.pitwall.finding.Finding;
import dev.pitwall.finding.Fix;
import dev.pitwall.finding.Severity;
import dev.pitwall.study.Prediction;
import dev.pitwall.study.Ranking;
import java.util.List;
import java.util.Optional;

/// What `torch.compile` would do for an eager program, in the mode that gains most: simulated on
// the
/// step's graph, and left out where it gains nothing.
final class CompileOpportunity {
  private static final String PASS = "compile";

  /// A mode must save this share of the step to be worth its compile time.
  private static final double LEAST_SHARE = 0.02;

  /// A mode further down the list must beat those before it by this share of the step: it compiles
  /// longer.
  private static final double WORTH_MORE = 0.02;

  private static final List<String> MODES = List.of("default", "reduce-overhead", "max-autotune");

  private CompileOpportunity() {}

  /// @param ranking every change alone
  /// @param evidence kernels of the eager program, the costliest first
  static Optional<Finding> of(Ranking ranking, List<Evidence> evidence) {
    Prediction best = null;
    String bestMode = "";
    for (String mode : MODES) {
      for (Prediction one : ranking.alone()) {
        boolean isMode =
            one.applied().getFirst().id().equals(PASS)
                && one.applied().getFirst().argument().equals(mode);
        if (isMode
            && (best == null || one.gain().fraction() > best.gain().fraction() + WORTH_MORE)) {
          best = one;
          bestMode = mode;
        }
      }
    }
    if (best == null || best.gain().fraction() < LEAST_SHARE) {
      return Optional.empty();
    }
    String argument = bestMode.equals("default") ? "" : ", mode=\"" + bestMode + "\"";
    return Optional.of(
        new Finding(
            PASS,
            Severity.ofFraction(best.gain().fraction()),
            "torch.compile"
                + (bestMode.equals("default") ? "" : " in mode " + bestMode)
                + " would save about "
                + Quantity.millis(best.gain().millis().value())
                + " a step.",
            "The program runs operator by operator. Compiled, chains of pointwise operators and"
                + " reductions become one kernel each, so that intermediate tensors no longer go"
                + " through memory"
                + (bestMode.equals("default")
                    ? "."
                    : ", and the whole step is replayed as a CUDA graph with one launch."),
            new Fix(
                "Compile the model once, keep shapes fixed, and measure: `pitwall tune` tries every"
                    + " mode on your program.",
                "model = torch.compile(model" + argument + ")",
                "https://docs.pytorch.org/docs/stable/generated/torch.compile.html"),
            best.gain(),
            evidence));
  }
}
