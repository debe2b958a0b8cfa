package dev.pitwall.observe.rule;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Evidence;
import dev.pitwall.finding.Finding;
import dev.pitwall.finding.Fix;
import dev.pitwall.finding.Gain;
import dev.pitwall.finding.Severity;
import dev.pitwall.observe.Observation;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// Time a step loses, and the finding that says so.
///
/// @param millis milliseconds of one step on average
/// @param fraction share of the recorded step, 0 to 1
record Loss(double millis, double fraction) {
  private static final int EVIDENCE = 5;

  /// `nanos` lost over all steps of the observation.
  static Loss of(Observation observation, double nanos) {
    double millis = nanos / 1e6 / observation.stepCount();
    double step = observation.windows().totalNanos() / 1e6 / observation.stepCount();
    return new Loss(millis, step > 0 ? Math.clamp(millis / step, 0, 1) : 0);
  }

  /// No time, but something is wrong.
  static Loss none() {
    return new Loss(0, 0);
  }

  boolean atLeast(double share) {
    return fraction >= share;
  }

  /// `4.5 ms (8.1 %)`
  String text() {
    return String.format(Locale.ROOT, "%.1f ms (%.1f %%)", millis, 100 * fraction);
  }

  /// A finding whose gain is this loss, as measured.
  Finding finding(String id, String title, String why, Fix fix, List<Evidence> evidence) {
    return new Finding(
        id,
        Severity.ofFraction(fraction),
        title,
        why,
        fix,
        new Gain(Estimate.measured(millis), fraction),
        evidence);
  }

  /// The longest of these rows as evidence.
  static List<Evidence> longest(Observation observation, int[] rows) {
    Trace trace = observation.index().trace();
    Slices slices = trace.slices();
    int[] best = new int[Math.min(EVIDENCE, rows.length)];
    int size = 0;
    for (int row : rows) {
      int at = size;
      while (at > 0 && slices.durationNanos(best[at - 1]) < slices.durationNanos(row)) {
        at--;
      }
      if (at == best.length) {
        continue;
      }
      int moved = Math.min(size, best.length - 1) - at;
      System.arraycopy(best, at, best, at + 1, moved);
      best[at] = row;
      size = Math.min(size + 1, best.length);
    }
    List<Evidence> evidence = new ArrayList<>();
    for (int row : Arrays.copyOf(best, size)) {
      evidence.add(evidence(observation, row));
    }
    return evidence;
  }

  static Evidence evidence(Observation observation, int row) {
    Trace trace = observation.index().trace();
    Slices slices = trace.slices();
    return new Evidence(
        Math.max(0, trace.recording().rank()),
        trace.tracks().get(slices.track(row)).label(),
        trace.name(row),
        slices.startNanos(row),
        slices.durationNanos(row));
  }

  /// Sum of the durations of these rows.
  static long nanos(Observation observation, int[] rows) {
    Slices slices = observation.index().trace().slices();
    long sum = 0;
    for (int row : rows) {
      sum += slices.durationNanos(row);
    }
    return sum;
  }

  /// `once a step`, `12 times a step`, `0.5 times a step`.
  static String timesPerStep(Observation observation, int count) {
    double each = (double) count / observation.stepCount();
    String number =
        each == Math.rint(each)
            ? String.valueOf((long) each)
            : String.format(Locale.ROOT, "%.1f", each);
    return number.equals("1") ? "once a step" : number + " times a step";
  }
}
