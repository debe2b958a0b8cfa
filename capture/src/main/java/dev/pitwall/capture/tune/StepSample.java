package dev.pitwall.capture.tune;

import dev.pitwall.table.DataTable;
import java.util.Arrays;
import java.util.List;

/// The steps that several runs of one variant measured, one number a run, in milliseconds. Runs are
/// independent; the blocks inside one are not, so a single run has no interval worth the name.
record StepSample(double[] runMillis) {
  /// Outcome of comparing two variants.
  enum Order {
    FASTER,
    SLOWER,
    /// Within [#EQUAL_SHARE] of each other, as far as 95 % certainty goes.
    EQUAL,
    UNDECIDED
  }

  /// Two variants that differ by less are called equal.
  static final double EQUAL_SHARE = 0.01;

  private static final DataTable STUDENT =
      DataTable.resource("/dev/pitwall/capture/tune/student_t.csv");

  static StepSample of(List<Double> runMillis) {
    return new StepSample(runMillis.stream().mapToDouble(Double::doubleValue).toArray());
  }

  int runs() {
    return runMillis.length;
  }

  double mean() {
    return Arrays.stream(runMillis).average().orElse(Double.NaN);
  }

  /// Half the width of the 95 % interval of the mean; NaN with fewer than two runs.
  double halfWidth() {
    return runs() < 2 ? Double.NaN : quantile(runs() - 1) * Math.sqrt(variance() / runs());
  }

  /// Compares the means by Welch's interval of their difference, 95 %.
  Order comparedWith(StepSample other) {
    if (runs() < 2 || other.runs() < 2) {
      return Order.UNDECIDED;
    }
    double mine = variance() / runs();
    double theirs = other.variance() / other.runs();
    double difference = mean() - other.mean();
    double error = Math.sqrt(mine + theirs);
    double freedom =
        error == 0
            ? runs() + other.runs() - 2
            : (mine + theirs)
                * (mine + theirs)
                / (mine * mine / (runs() - 1) + theirs * theirs / (other.runs() - 1));
    double half = quantile(Math.max(1, (int) freedom)) * error;
    double equal = EQUAL_SHARE * other.mean();
    if (difference - half > -equal && difference + half < equal) {
      return Order.EQUAL;
    }
    if (difference + half < 0) {
      return Order.FASTER;
    }
    return difference - half > 0 ? Order.SLOWER : Order.UNDECIDED;
  }

  private double variance() {
    double mean = mean();
    return Arrays.stream(runMillis).map(x -> (x - mean) * (x - mean)).sum() / (runs() - 1);
  }

  private static double quantile(int degreesOfFreedom) {
    double quantile = Double.NaN;
    for (int row = 0; row < STUDENT.rows(); row++) {
      if (STUDENT.number(row, "degrees_of_freedom", 0) <= degreesOfFreedom) {
        quantile = STUDENT.number(row, "quantile_975", Double.NaN);
      }
    }
    return quantile;
  }
}
