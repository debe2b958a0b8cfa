package dev.pitwall.study;

import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Gain;

/// How far a predicted step may be off: the error of the step before, carried over, the error of
// the
/// cost models on the device time they made up, and the noise of running, taken as independent.
///
/// @param before the step before the change, in milliseconds
/// @param after the step after it
/// @param modelledMillis device time of a step after the change that no recording showed: kernels
// that
///     were scaled or put in
/// @param modelledHostMillis by how much the step after would be longer if the host work that no
///     recording showed took longer by the error of its model
/// @param host how much more than before the step depends on the speed of the host
record Uncertainty(
    Estimate before,
    double after,
    double modelledMillis,
    double modelledHostMillis,
    HostSensitivity host) {
  /// Error of the cost models: median of the odd rows of the microbenchmarks (KernelCostsTest),
  /// widened to cover eight of ten.
  private static final double MODEL_ERROR = 0.12;

  /// Error of modelled host work: the same generated call took 1.1 to 1.5 times as long in one
  /// recording of a machine as in another (small against resnet, equal numbers of arguments), half
  /// of which counts either way.
  static final double HOST_MODEL_ERROR = 0.25;

  /// What two measured runs of one program differ by: spread of the unprofiled blocks of
  /// `data/h200/*/truth.jsonl`.
  private static final double RUN_TO_RUN = 0.02;

  /// The step after the change, in milliseconds.
  Estimate step() {
    double modelled = MODEL_ERROR * Math.min(modelledMillis, after);
    double lower =
        root(
            after * relative(before.value() - before.low()),
            modelled,
            modelledHostMillis,
            host.faster() * after,
            RUN_TO_RUN * after);
    double upper =
        root(
            after * relative(before.high() - before.value()),
            modelled,
            modelledHostMillis,
            host.slower() * after,
            RUN_TO_RUN * after);
    return new Estimate(after, Math.max(0, after - lower), after + upper, Basis.SIMULATED);
  }

  /// What the change saves. The errors of before and after are mostly one and the same, so that of
  // the
  /// step before counts for the gain only.
  Gain gain() {
    double gain = before.value() - after;
    double error =
        root(
            gain * relative((before.high() - before.low()) / 2),
            MODEL_ERROR * Math.min(modelledMillis, after),
            modelledHostMillis,
            after * Math.max(host.faster(), host.slower()),
            RUN_TO_RUN * Math.min(before.value(), Math.abs(gain)));
    Estimate millis = new Estimate(gain, gain - error, gain + error, Basis.SIMULATED);
    return new Gain(millis, before.value() > 0 ? gain / before.value() : 0);
  }

  private double relative(double distance) {
    return before.value() > 0 ? distance / before.value() : 0;
  }

  private static double root(double... errors) {
    double sum = 0;
    for (double error : errors) {
      sum += error * error;
    }
    return Math.sqrt(sum);
  }
}
