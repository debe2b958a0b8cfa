package dev.pitwall.trace.join;

import java.util.Arrays;

/// A quantile of values in any order.
final class Quantiles {
  private Quantiles() {}

  /// The value with this share of the others below it; 0 of none. Sorts `values`.
  static double of(double[] values, double share) {
    Arrays.sort(values);
    return values.length == 0
        ? 0
        : values[(int) Math.min(values.length - 1L, Math.round(share * (values.length - 1)))];
  }
}
