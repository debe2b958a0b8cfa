package dev.pitwall.finding;

import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;

/// What a fix saves per step: milliseconds, and the share of the unprofiled step (0 to 1).
public record Gain(Estimate millis, double fraction) {
  /// Steps of one program differ by more than this share.
  private static final double NOT_MEASURABLE = 0.003;

  /// Whether a fix was found to save nothing that could be measured. A loss as measured and
  /// a gain that nobody knows are no such answer.
  public boolean isNothing() {
    boolean tried =
        millis.basis() == Basis.SIMULATED
            || (millis.basis() != Basis.MEASURED && millis.low() < millis.high());
    return tried && fraction < NOT_MEASURABLE;
  }
}
