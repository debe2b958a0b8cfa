package dev.pitwall.observe.ranks;

import dev.pitwall.observe.DeviceTime;
import dev.pitwall.observe.IdleGaps;
import dev.pitwall.trace.IntColumn;
import dev.pitwall.trace.Slices;
import java.util.Arrays;
import java.util.List;

/// What a rank's device was about, as time spent by [Activity] between moments that matter to other
/// ranks: the ends of steps, the starts of collectives, and the stretches in which nothing but a
/// collective ran. Its size follows the collectives, not the kernels.
///
/// @param moments ascending, by this rank's clock like [RankSummary.Call]
/// @param spentNanos by ordinal of [Activity], what was spent on it before each moment
/// @param callOf for the stretch that begins at each moment, the start of the collective that alone
///     ran in it, or [#NO_CALL]
/// @param stepEnds start of the first step as the device sees it, then the end of each
public record RankActivity(long[] moments, long[][] spentNanos, long[] callOf, long[] stepEnds) {
  /// In a stretch, other things than one collective ran.
  static final long NO_CALL = Long.MIN_VALUE;

  /// A collective that runs alone for less only fills the device's pause between two kernels.
  private static final long SHORTEST_ALONE_NANOS = 20_000;

  private static final RankActivity NONE =
      new RankActivity(
          new long[0], new long[Activity.values().length][0], new long[0], new long[0]);

  /// A rank without device work.
  static RankActivity none() {
    return NONE;
  }

  /// @param calls the rank's collectives in order of start
  /// @param compute when kernels ran that are no collectives
  /// @param epochNanos what to add to times of the trace
  static RankActivity of(
      Slices slices,
      DeviceTime device,
      List<RankSummary.Call> calls,
      IntColumn computeRows,
      IntColumn collectiveRows,
      BusyTime compute,
      long epochNanos) {
    IntColumn kernels = new IntColumn();
    addAll(kernels, computeRows);
    addAll(kernels, collectiveRows);
    IntColumn all = new IntColumn();
    for (int row : device.deviceRows()) {
      all.add(row);
    }
    long[] alone = alone(calls, compute, epochNanos);
    long[] stepEnds = device.windows().boundaries().clone();
    long[] moments = new long[alone.length / 3 * 2 + calls.size() + stepEnds.length];
    int size = 0;
    for (int i = 0; i < alone.length; i += 3) {
      moments[size++] = alone[i];
      moments[size++] = alone[i + 1];
    }
    for (RankSummary.Call call : calls) {
      moments[size++] = call.startNanos() - epochNanos;
    }
    for (long end : stepEnds) {
      moments[size++] = end;
    }
    moments = Arrays.stream(moments).sorted().distinct().toArray();
    long[][] spent =
        spent(
            moments,
            device.gaps(),
            compute,
            BusyTime.of(slices, kernels),
            BusyTime.of(slices, all));
    long[] callOf = new long[moments.length];
    Arrays.fill(callOf, NO_CALL);
    for (int i = 0; i < alone.length; i += 3) {
      for (int at = Arrays.binarySearch(moments, alone[i]); moments[at] < alone[i + 1]; at++) {
        callOf[at] = alone[i + 2] + epochNanos;
      }
    }
    for (int i = 0; i < moments.length; i++) {
      moments[i] += epochNanos;
    }
    for (int i = 0; i < stepEnds.length; i++) {
      stepEnds[i] += epochNanos;
    }
    return new RankActivity(moments, spent, callOf, stepEnds);
  }

  private static void addAll(IntColumn target, IntColumn rows) {
    for (int i = 0; i < rows.size(); i++) {
      target.add(rows.get(i));
    }
  }

  /// Triples of start, end and start of the collective, disjoint and in order; where two
  /// collectives run, the time is that of the one that came first until it ends.
  private static long[] alone(List<RankSummary.Call> calls, BusyTime compute, long epochNanos) {
    long[] alone = new long[48];
    int size = 0;
    long covered = Long.MIN_VALUE;
    for (RankSummary.Call call : calls) {
      long start = call.startNanos() - epochNanos;
      long end = call.endNanos() - epochNanos;
      long[] idle = compute.idleWithin(Math.max(start, covered), Math.max(end, covered));
      for (int i = 0; i < idle.length; i += 2) {
        if (idle[i + 1] - idle[i] >= SHORTEST_ALONE_NANOS) {
          if (size + 3 > alone.length) {
            alone = Arrays.copyOf(alone, 2 * alone.length);
          }
          alone[size++] = idle[i];
          alone[size++] = idle[i + 1];
          alone[size++] = start;
        }
      }
      covered = Math.max(covered, end);
    }
    return Arrays.copyOf(alone, size);
  }

  private static long[][] spent(
      long[] moments, IdleGaps gaps, BusyTime compute, BusyTime kernels, BusyTime all) {
    long[][] spent = new long[Activity.values().length][moments.length];
    long[] idle = new long[Activity.values().length];
    int gap = 0;
    for (int i = 0; i < moments.length; i++) {
      long moment = moments[i];
      while (gap < gaps.size() && gaps.startNanos(gap) + gaps.durationNanos(gap) <= moment) {
        idle[Activity.of(gaps.cause(gap)).ordinal()] += gaps.durationNanos(gap);
        gap++;
      }
      for (int activity = 0; activity < idle.length; activity++) {
        spent[activity][i] = idle[activity];
      }
      if (gap < gaps.size() && gaps.startNanos(gap) < moment) {
        spent[Activity.of(gaps.cause(gap)).ordinal()][i] += moment - gaps.startNanos(gap);
      }
      long computed = compute.busyUntil(moment);
      long withCollectives = kernels.busyUntil(moment);
      spent[Activity.COMPUTE.ordinal()][i] += computed;
      spent[Activity.COMMUNICATION.ordinal()][i] += withCollectives - computed;
      spent[Activity.COPY.ordinal()][i] += all.busyUntil(moment) - withCollectives;
    }
    return spent;
  }

  /// Steps that the device saw.
  int steps() {
    return Math.max(0, stepEnds.length - 1);
  }

  /// The last stretch that begins before a time, -1 where none does.
  int stretchBefore(long time) {
    int found = Arrays.binarySearch(moments, time);
    return (found < 0 ? -found - 1 : found) - 1;
  }

  /// Adds to `target` (by ordinal of [Activity]) what was spent from one time to another; between
  /// moments the shares are even. All of the time is accounted for.
  void addSpent(long from, long to, double[] target) {
    double sum = 0;
    for (int activity = 0; activity < target.length; activity++) {
      double nanos = spentBefore(activity, to) - spentBefore(activity, from);
      target[activity] += nanos;
      sum += nanos;
    }
    target[Activity.UNEXPLAINED.ordinal()] += to - from - sum;
  }

  private double spentBefore(int activity, long time) {
    int stretch = stretchBefore(time);
    if (stretch < 0) {
      return moments.length == 0 ? 0 : spentNanos[activity][0];
    }
    double before = spentNanos[activity][stretch];
    if (stretch + 1 == moments.length) {
      return before;
    }
    double share = (double) (time - moments[stretch]) / (moments[stretch + 1] - moments[stretch]);
    return before + share * (spentNanos[activity][stretch + 1] - before);
  }
}
