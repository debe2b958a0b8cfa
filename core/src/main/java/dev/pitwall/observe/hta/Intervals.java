package dev.pitwall.observe.hta;

import java.util.ArrayList;
import java.util.List;

/// Disjoint intervals in HTA's sense: sorted by start, and a new one begins only where a start lies
/// after every end before it. With inward rounding an interval may have negative length.
///
/// @param starts ascending
/// @param ends the largest end of each
record Intervals(double[] starts, double[] ends) {
  /// @param start starts in ascending order
  /// @param end the ends, one for each start
  static Intervals merged(double[] start, double[] end) {
    List<double[]> merged = new ArrayList<>();
    double reach = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < start.length; i++) {
      if (merged.isEmpty() || start[i] > reach) {
        merged.add(new double[] {start[i], end[i]});
      } else {
        double[] last = merged.getLast();
        last[1] = Math.max(last[1], end[i]);
      }
      reach = Math.max(reach, end[i]);
    }
    return new Intervals(
        merged.stream().mapToDouble(interval -> interval[0]).toArray(),
        merged.stream().mapToDouble(interval -> interval[1]).toArray());
  }

  int size() {
    return starts.length;
  }

  double total() {
    double total = 0;
    for (int i = 0; i < starts.length; i++) {
      total += ends[i] - starts[i];
    }
    return total;
  }
}
