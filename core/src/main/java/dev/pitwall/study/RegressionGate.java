package dev.pitwall.study;

/// Whether a run may replace another: its step must not be longer by more than a threshold. A
/// difference within the noise of two runs never fails.
///
/// @param maxRegression threshold as a share of the first step: 0.03 is 3 %
public record RegressionGate(RunComparison comparison, double maxRegression) {
  /// How the gate answers.
  public enum Outcome {
    /// The step did not get longer by more than the threshold.
    PASSED,
    /// It did, but two runs of an unchanged program may differ by as much.
    WITHIN_NOISE,
    FAILED,
    /// One of the recordings cannot be trusted, so the gate does not open.
    UNTRUSTED
  }

  /// Whether the second run may not replace the first.
  public boolean fails() {
    return outcome() == Outcome.FAILED || outcome() == Outcome.UNTRUSTED;
  }

  public Outcome outcome() {
    if (!comparison.doubts().isEmpty()) {
      return Outcome.UNTRUSTED;
    }
    double regression = comparison.fraction();
    if (regression <= maxRegression) {
      return Outcome.PASSED;
    }
    return regression <= comparison.noiseFraction() ? Outcome.WITHIN_NOISE : Outcome.FAILED;
  }
}
