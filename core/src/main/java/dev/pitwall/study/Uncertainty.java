package dev.pitwall.study;

import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Gain;

/// How far a predicted step may be off: the error of the step before, carried over, and the error
// of
/// the cost models on what the change touched, taken as independent.
final class Uncertainty {
  /// Error of the cost models on the time that a change adds or removes: median of the odd rows of
  // the
  /// microbenchmarks (KernelCostsTest), widened to cover eight of ten.
  private static final double MODEL_ERROR = 0.12;

  /// What two measured runs of one program differ by: spread of the unprofiled blocks of
  /// `data/h200/*/truth.jsonl`.
  private static final double RUN_TO_RUN = 0.02;

  private Uncertainty() {}

  /// The step after a change, in milliseconds.
  static Estimate after(Estimate before, double after) {
    double moved = Math.abs(before.value() - after);
    double lower =
        root(
            after * relative(before.value() - before.low(), before),
            MODEL_ERROR * moved,
            RUN_TO_RUN * after);
    double upper =
        root(
            after * relative(before.high() - before.value(), before),
            MODEL_ERROR * moved,
            RUN_TO_RUN * after);
    return new Estimate(after, Math.max(0, after - lower), after + upper, Basis.SIMULATED);
  }

  /// What a change saves: the errors of before and after are mostly one and the same, so only that
  // of
  /// the models and the noise of the difference remain.
  static Gain gain(Estimate before, double after) {
    double gain = before.value() - after;
    double error =
        root(
            gain * relative((before.high() - before.low()) / 2, before),
            MODEL_ERROR * gain,
            RUN_TO_RUN / 2 * Math.min(before.value(), Math.abs(gain) * 4));
    Estimate millis = new Estimate(gain, gain - error, gain + error, Basis.SIMULATED);
    return new Gain(millis, before.value() > 0 ? gain / before.value() : 0);
  }

  private static double relative(double distance, Estimate estimate) {
    return estimate.value() > 0 ? distance / estimate.value() : 0;
  }

  private static double root(double... errors) {
    double sum = 0;
    for (double error : errors) {
      sum += error * error;
    }
    return Math.sqrt(sum);
  }
}
