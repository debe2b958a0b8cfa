package dev.pitwall.study;

import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Gain;

/// How far a predicted step may be off: the error of the step before, carried over, the error of
/// the cost models on the device time they made up, and the noise of running, taken as independent.
///
/// @param before the step before the change, in milliseconds
/// @param after the step after it
/// @param modelledMillis device time of a step after the change that no recording showed: kernels
///     that were scaled or put in
/// @param modelledHostMillis by how much the step after would be longer if the host work that no
///     recording showed took longer by the error of its model
/// @param hostBefore how much the step before depends on the speed of the host
/// @param hostAfter the same of the step after
record Uncertainty(
    Estimate before,
    double after,
    double modelledMillis,
    double modelledHostMillis,
    HostSensitivity hostBefore,
    HostSensitivity hostAfter) {
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
    HostSensitivity host = hostAfter.beyond(hostBefore);
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

  /// What the change saves. Most of the error of the step before is that of the step after too and
  /// counts in proportion; a host that is faster or slower than it seemed changes the two steps by
  /// what each depends on it, and the gain by the difference.
  Gain gain() {
    double gain = before.value() - after;
    double common =
        root(
            gain * relative((before.high() - before.low()) / 2),
            MODEL_ERROR * Math.min(modelledMillis, after),
            modelledHostMillis,
            RUN_TO_RUN / 2 * after);
    double onFasterHost = before.value() * hostBefore.faster() - after * hostAfter.faster();
    double onSlowerHost = after * hostAfter.slower() - before.value() * hostBefore.slower();
    double less = Math.max(0, Math.max(onFasterHost, onSlowerHost));
    double more = Math.max(0, Math.max(-onFasterHost, -onSlowerHost));
    Estimate millis =
        new Estimate(gain, gain - root(common, less), gain + root(common, more), Basis.SIMULATED);
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
