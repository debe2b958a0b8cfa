package dev.pitwall.trace.join;

import java.util.Arrays;

/// The straight line from one clock to another: at `originNanos` of ours theirs shows `offsetNanos`
/// more, and it runs faster by `drift`.
record ClockLine(long originNanos, double offsetNanos, double drift) {
  long theirs(long ourNanos) {
    return ourNanos + Math.round(offsetNanos + drift * (ourNanos - originNanos));
  }

  /// Moments on both clocks, in order of ours, for the line through them.
  static final class Fit {
    private long[] ours = new long[1 << 10];
    private long[] theirs = new long[1 << 10];
    private int size;

    void add(long ourNanos, long theirNanos) {
      if (size == ours.length) {
        ours = Arrays.copyOf(ours, 2 * size);
        theirs = Arrays.copyOf(theirs, 2 * size);
      }
      ours[size] = ourNanos;
      theirs[size++] = theirNanos;
    }

    int size() {
      return size;
    }

    /// The robust line: its slope is the median of the slopes between moments half the recording
    /// apart (after P. K. Sen, *J. Am. Stat. Assoc.* 63, 1968), its offset the median of what is
    /// left.
    ClockLine line() {
      if (size == 0) {
        return new ClockLine(0, 0, 0);
      }
      long origin = ours[0];
      int half = size / 2;
      double[] slopes = new double[size - half];
      int known = 0;
      for (int i = 0; i + half < size; i++) {
        long apart = ours[i + half] - ours[i];
        if (apart > 0) {
          slopes[known++] = (theirs[i + half] - theirs[i] - apart) / (double) apart;
        }
      }
      double drift = Quantiles.of(Arrays.copyOf(slopes, known), 0.5);
      double[] offsets = new double[size];
      for (int i = 0; i < size; i++) {
        offsets[i] = theirs[i] - ours[i] - drift * (ours[i] - origin);
      }
      return new ClockLine(origin, Quantiles.of(offsets, 0.5), drift);
    }

    /// How far from the line this share of the moments is at most, in nanoseconds.
    double error(ClockLine line, double share) {
      double[] errors = new double[size];
      for (int i = 0; i < size; i++) {
        errors[i] = Math.abs(theirs[i] - line.theirs(ours[i]));
      }
      return Quantiles.of(errors, share);
    }
  }
}
