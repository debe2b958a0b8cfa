package dev.pitwall.observe;

import java.util.Arrays;

/// A curve for a plot: at most a fixed number of points, each the largest value of its slot of
/// time, so that no peak is lost.
///
/// @param timeNanos start of each slot, ascending
/// @param values largest value in the slot
public record Series(String name, String unit, long[] timeNanos, double[] values) {
  /// Collects a step function's changes in order of time.
  static final class Builder {
    private final long startNanos;
    private final long slotNanos;
    private final double[] largest;
    private double current;
    private int slot;

    Builder(long startNanos, long endNanos, int slots) {
      this.startNanos = startNanos;
      this.slotNanos = Math.max(1, (endNanos - startNanos + slots - 1) / slots);
      this.largest = new double[slots];
      Arrays.fill(largest, Double.NaN);
    }

    /// The value from `timeNanos` on.
    void set(long timeNanos, double value) {
      int at = (int) Math.clamp((timeNanos - startNanos) / slotNanos, 0, largest.length - 1);
      while (slot < at) {
        hold();
        slot++;
      }
      hold();
      current = value;
      hold();
    }

    private void hold() {
      largest[slot] = Double.isNaN(largest[slot]) ? current : Math.max(largest[slot], current);
    }

    Series build(String name, String unit) {
      while (slot < largest.length - 1) {
        hold();
        slot++;
      }
      hold();
      long[] times = new long[largest.length];
      for (int i = 0; i < times.length; i++) {
        times[i] = startNanos + i * slotNanos;
      }
      return new Series(name, unit, times, largest);
    }
  }
}
