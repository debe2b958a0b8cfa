package dev.pitwall.observe;

import dev.pitwall.trace.IntColumn;
import dev.pitwall.trace.LongColumn;

/// Times in which a device ran nothing, in order, each with its cause. A time with two causes is
/// two entries.
public final class IdleGaps {
  private final LongColumn startNanos = new LongColumn();
  private final LongColumn durationNanos = new LongColumn();
  private final IntColumn nextRow = new IntColumn();
  private final IntColumn window = new IntColumn();
  private final IntColumn cause = new IntColumn();
  private final long[] nanosByCause = new long[IdleCause.values().length];

  void add(long start, long duration, int next, int step, IdleCause why) {
    if (duration <= 0) {
      return;
    }
    startNanos.add(start);
    durationNanos.add(duration);
    nextRow.add(next);
    window.add(step);
    cause.add(why.ordinal());
    nanosByCause[why.ordinal()] += duration;
  }

  public int size() {
    return cause.size();
  }

  public long startNanos(int gap) {
    return startNanos.get(gap);
  }

  public long durationNanos(int gap) {
    return durationNanos.get(gap);
  }

  /// The device row that ended the gap.
  public int nextRow(int gap) {
    return nextRow.get(gap);
  }

  /// The step window that the gap lies in.
  public int window(int gap) {
    return window.get(gap);
  }

  public IdleCause cause(int gap) {
    return IdleCause.values()[cause.get(gap)];
  }

  /// All idle time of one cause.
  public long totalNanos(IdleCause why) {
    return nanosByCause[why.ordinal()];
  }
}
