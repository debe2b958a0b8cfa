package dev.pitwall.bench.accuracy;

import dev.pitwall.estimate.Estimate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/// How far predicted gains were from measured ones, as a share of the measured step before the
/// change: a gain near nothing has no relative error.
final class Gains {
  private final List<Double> errors = new ArrayList<>();
  private int inside;

  /// Enters one prediction and the milliseconds measured.
  void add(Estimate gain, double measuredMillis, double stepBeforeMillis) {
    errors.add(Math.abs(gain.value() - measuredMillis) / stepBeforeMillis);
    if (gain.low() <= measuredMillis && measuredMillis <= gain.high()) {
      inside++;
    }
  }

  /// One sentence with all figures.
  String summary() {
    if (errors.isEmpty()) {
      return "no case";
    }
    Collections.sort(errors);
    return String.format(
        Locale.ROOT,
        "%d cases: off by %.1f %% of the step before (median), %.1f %% (90th percentile);"
            + " %d inside the stated interval",
        errors.size(),
        100 * errors.get(errors.size() / 2),
        100 * errors.get((int) (0.9 * errors.size())),
        inside);
  }
}
