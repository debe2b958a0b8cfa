package dev.pitwall.estimate;

/// A value with an interval and a basis. The unit belongs to the name that holds it
/// (`stepMillis`, `peakBytes`).
public record Estimate(double value, double low, double high, Basis basis) {
  public Estimate {
    if (!(low <= value && value <= high)) {
      throw new IllegalArgumentException(
          "an estimate needs low <= value <= high, got " + low + ", " + value + ", " + high);
    }
  }

  /// A value read off a recording: no interval.
  public static Estimate measured(double value) {
    return new Estimate(value, value, value, Basis.MEASURED);
  }

  /// The same estimate in another unit, for a positive factor.
  public Estimate times(double factor) {
    if (!(factor >= 0)) {
      throw new IllegalArgumentException("factor must not be negative: " + factor);
    }
    return new Estimate(value * factor, low * factor, high * factor, basis);
  }
}
