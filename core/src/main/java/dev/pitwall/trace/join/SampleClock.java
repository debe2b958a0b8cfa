package dev.pitwall.trace.join;

import dev.pitwall.trace.Counter;
import dev.pitwall.trace.DoubleColumn;
import dev.pitwall.trace.LongColumn;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.smi.SampleLog;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// How the wall clock of a log of device samples runs against the clock of a trace of the same job.
///
/// Tools write local time without its zone, so the zone is the one nearest to UTC in which the log
/// covers the trace. The error is one period of the samples, since a sample stands for the time
/// since the one before and its time is cut to that of the log.
///
/// @param offsetNanos wall-clock time at the trace's base, as the log writes it
/// @param errorNanos how far a sample may be off
/// @param zoneNanos how far the log's zone is east of UTC
public record SampleClock(long offsetNanos, long errorNanos, long zoneNanos) {
  private static final long HALF_HOUR_NANOS = 1_800_000_000_000L;

  /// Zones go from 12 hours west to 14 hours east; none is half an hour from UTC.
  private static final int FARTHEST_ZONE = 14 * 2;

  /// Empty where either has no wall clock, or the log does not cover the trace in any zone.
  public static Optional<SampleClock> of(Trace trace, SampleLog log) {
    long epoch = trace.recording().epochNanos();
    if (epoch <= 0 || !log.hasClock()) {
      return Optional.empty();
    }
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    for (Counter counter : log.counters()) {
      int size = counter.timeNanos().size();
      if (size > 0) {
        first = Math.min(first, counter.timeNanos().get(0));
        last = Math.max(last, counter.timeNanos().get(size - 1));
      }
    }
    long from = epoch + trace.recording().windowStartNanos();
    long to = epoch + trace.recording().windowEndNanos();
    long error = periodNanos(log);
    for (int halves = 0; halves <= FARTHEST_ZONE; halves++) {
      for (int east : new int[] {halves, -halves}) {
        long zone = east * HALF_HOUR_NANOS;
        if (halves != 1 && first <= from + zone + error && last + error >= to + zone) {
          return Optional.of(new SampleClock(epoch + zone, error, zone));
        }
      }
    }
    return Optional.empty();
  }

  /// The samples of the trace's window, one period before and after it included, on the trace's
  /// clock.
  public List<Counter> counters(Trace trace, SampleLog log) {
    long from = trace.recording().windowStartNanos() - errorNanos;
    long to = trace.recording().windowEndNanos() + errorNanos;
    List<Counter> moved = new ArrayList<>();
    for (Counter counter : log.counters()) {
      LongColumn times = new LongColumn();
      DoubleColumn values = new DoubleColumn();
      for (int i = 0; i < counter.values().size(); i++) {
        long time = counter.timeNanos().get(i) - offsetNanos;
        if (time >= from && time <= to) {
          times.add(time);
          values.add(counter.values().get(i));
        }
      }
      if (times.size() > 0) {
        moved.add(new Counter(counter.name(), counter.unit(), counter.device(), times, values));
      }
    }
    return moved;
  }

  /// The usual time between samples of a device, at least the second that most tools write times
  /// in.
  private static long periodNanos(SampleLog log) {
    long least = 1_000_000_000L;
    boolean fine = false;
    long period = 0;
    for (Counter counter : log.counters()) {
      int size = counter.timeNanos().size();
      long[] apart = new long[Math.max(0, size - 1)];
      for (int i = 0; i + 1 < size; i++) {
        apart[i] = counter.timeNanos().get(i + 1) - counter.timeNanos().get(i);
        fine |= counter.timeNanos().get(i) % least != 0;
      }
      Arrays.sort(apart);
      period = Math.max(period, apart.length == 0 ? 0 : apart[apart.length / 2]);
    }
    return fine ? Math.max(1_000_000, period) : Math.max(least, period);
  }
}
