package dev.pitwall.bench.accuracy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/// Relative errors of predictions, and how wide and how right their intervals were.
final class Errors {
  private final List<Double> errors = new ArrayList<>();
  private final List<Double> halfWidths = new ArrayList<>();
  private int inside;
  private int rightSigns;
  private int signs;

  /// Enters one prediction.
  void add(double predicted, double low, double high, double measured) {
    errors.add(Math.abs(predicted / measured - 1));
    halfWidths.add((high - low) / 2 / predicted);
    if (low <= measured && measured <= high) {
      inside++;
    }
  }

  /// Enters whether a predicted change went the measured way.
  void addSign(boolean right) {
    signs++;
    if (right) {
      rightSigns++;
    }
  }

  int size() {
    return errors.size();
  }

  /// One sentence with all figures.
  String summary() {
    if (errors.isEmpty()) {
      return "no case";
    }
    double sum = 0;
    for (double error : errors) {
      sum += error;
    }
    String text =
        String.format(
            Locale.ROOT,
            "%d cases: median error %.1f %%, mean %.1f %%, 90th percentile %.1f %%;"
                + " %.0f %% inside the stated interval, whose median is +-%.1f %%",
            errors.size(),
            100 * quantile(errors, 0.5),
            100 * sum / errors.size(),
            100 * quantile(errors, 0.9),
            100.0 * inside / errors.size(),
            100 * quantile(halfWidths, 0.5));
    return signs == 0
        ? text
        : text + String.format(Locale.ROOT, "; sign right in %d of %d", rightSigns, signs);
  }

  private static double quantile(List<Double> values, double share) {
    List<Double> sorted = new ArrayList<>(values);
    Collections.sort(sorted);
    return sorted.get((int) Math.min(sorted.size() - 1, share * sorted.size()));
  }
}
