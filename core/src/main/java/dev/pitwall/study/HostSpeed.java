package dev.pitwall.study;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.LongColumn;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.Track;
import java.util.Arrays;

/// How fast the host ran while it recorded: the time from the start of an operator to the start of
/// the operator it calls first, lower quartile. That stretch is nearly all dispatcher and recorder,
/// the same code in every program, so it scales with the host and not with the model. On this
/// project's H200 machine it moved between 720 and 2,130 ns from recording to recording.
final class HostSpeed {
  private static final int LEAST_SAMPLES = 20;
  private static final double USUAL_NANOS = 1_400;

  private HostSpeed() {}

  /// The stretch in nanoseconds; a usual one where the trace has too few nested operators.
  static double unitNanos(TraceIndex index) {
    LongColumn samples = new LongColumn();
    for (int row : index.trace().slices().rows(Category.CPU_OP)) {
      sample(index, row, samples);
    }
    return lowerQuartile(samples, USUAL_NANOS);
  }

  /// By step, by what to multiply host time so that a step recorded while the host was slow counts
  /// as if it had run at the median speed of all steps. Never above 1: what ran fast did run.
  static double[] stepFactors(TraceIndex index) {
    int steps = Math.max(1, index.steps().count());
    double[] factors = new double[steps];
    Arrays.fill(factors, 1);
    if (index.steps().count() < 2) {
      return factors;
    }
    double whole = unitNanos(index);
    double[] units = new double[steps];
    for (int step = 0; step < steps; step++) {
      units[step] =
          unitNanos(index, index.steps().startNanos()[step], index.steps().endNanos()[step], whole);
    }
    double[] sorted = units.clone();
    Arrays.sort(sorted);
    double median = (sorted[(steps - 1) / 2] + sorted[steps / 2]) / 2;
    for (int step = 0; step < steps; step++) {
      factors[step] = Math.min(1, median / units[step]);
    }
    return factors;
  }

  private static double unitNanos(TraceIndex index, long fromNanos, long toNanos, double fallback) {
    Trace trace = index.trace();
    LongColumn samples = new LongColumn();
    for (Track track : trace.tracks()) {
      int end = trace.firstRowFrom(track.id(), toNanos);
      for (int row = trace.firstRowFrom(track.id(), fromNanos); row < end; row++) {
        sample(index, row, samples);
      }
    }
    return lowerQuartile(samples, fallback);
  }

  private static void sample(TraceIndex index, int row, LongColumn samples) {
    Slices slices = index.trace().slices();
    if (row > 0
        && index.calls().parent(row) == row - 1
        && slices.category(row) == Category.CPU_OP
        && slices.category(row - 1) == Category.CPU_OP) {
      samples.add(slices.startNanos(row) - slices.startNanos(row - 1));
    }
  }

  private static double lowerQuartile(LongColumn samples, double fallback) {
    int count = samples.size();
    if (count < LEAST_SAMPLES) {
      return fallback;
    }
    long[] sorted = new long[count];
    Arrays.setAll(sorted, samples::get);
    Arrays.sort(sorted);
    return sorted[count / 4];
  }
}
