package dev.pitwall.observe.ranks;

import dev.pitwall.trace.IntColumn;
import dev.pitwall.trace.Slices;
import java.util.Arrays;

/// The union of some slices' times as disjoint intervals in order, with the busy time before each.
final class BusyTime {
  private final long[] starts;
  private final long[] ends;
  private final long[] busyBefore;
  private final int count;

  private BusyTime(long[] starts, long[] ends, long[] busyBefore, int count) {
    this.starts = starts;
    this.ends = ends;
    this.busyBefore = busyBefore;
    this.count = count;
  }

  static BusyTime of(Slices slices, IntColumn rows) {
    long[] order = new long[rows.size()];
    for (int i = 0; i < order.length; i++) {
      order[i] = slices.startNanos(rows.get(i));
    }
    Arrays.sort(order);
    long[] ends = new long[order.length];
    for (int i = 0; i < ends.length; i++) {
      ends[i] = slices.endNanos(rows.get(i));
    }
    Arrays.sort(ends);
    // Of sorted starts and sorted ends the union is the same as of the pairs.
    long[] unionStarts = new long[order.length];
    long[] unionEnds = new long[order.length];
    long[] busyBefore = new long[order.length];
    int count = 0;
    for (int i = 0; i < order.length; i++) {
      if (count > 0 && order[i] <= unionEnds[count - 1]) {
        unionEnds[count - 1] = Math.max(unionEnds[count - 1], ends[i]);
      } else {
        busyBefore[count] =
            count == 0 ? 0 : busyBefore[count - 1] + unionEnds[count - 1] - unionStarts[count - 1];
        unionStarts[count] = order[i];
        unionEnds[count] = ends[i];
        count++;
      }
    }
    return new BusyTime(unionStarts, unionEnds, busyBefore, count);
  }

  /// Busy nanoseconds inside `[start, end)`.
  long overlap(long start, long end) {
    return busyUntil(end) - busyUntil(start);
  }

  /// The parts of `[start, end)` in which nothing is busy, as pairs of start and end, in order.
  long[] idleWithin(long start, long end) {
    int first = upTo(start);
    long[] idle = new long[2 * (upTo(end) - first + 1)];
    int size = 0;
    long at = first == 0 ? start : Math.max(start, ends[first - 1]);
    for (int i = first; i < count && starts[i] < end; i++) {
      if (starts[i] > at) {
        idle[size++] = at;
        idle[size++] = starts[i];
      }
      at = Math.max(at, ends[i]);
    }
    if (at < end) {
      idle[size++] = at;
      idle[size++] = end;
    }
    return Arrays.copyOf(idle, size);
  }

  /// Busy nanoseconds before a time.
  long busyUntil(long time) {
    int low = upTo(time);
    return low == 0 ? 0 : busyBefore[low - 1] + Math.min(time, ends[low - 1]) - starts[low - 1];
  }

  /// Intervals that start at a time or before.
  private int upTo(long time) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (starts[middle] <= time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
