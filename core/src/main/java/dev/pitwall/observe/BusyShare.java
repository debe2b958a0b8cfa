package dev.pitwall.observe;

import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;

/// How much of a stretch of time a device ran anything.
public final class BusyShare {
  private BusyShare() {}

  /// The share of the time from `fromNanos` to `toNanos` in which the device ran at least one
  /// kernel, copy or set.
  public static double of(Trace trace, int device, long fromNanos, long toNanos) {
    Slices slices = trace.slices();
    long busy = 0;
    long covered = fromNanos;
    for (int row : DeviceRows.inOrder(trace, device)) {
      long start = Math.max(covered, slices.startNanos(row));
      long end = Math.min(toNanos, slices.endNanos(row));
      if (end > start) {
        busy += end - start;
        covered = end;
      }
    }
    return toNanos > fromNanos ? (double) busy / (toNanos - fromNanos) : 0;
  }

  /// The device that ran most, 0 where none ran anything.
  public static int busiestDevice(Trace trace) {
    return DeviceRows.busiestFirst(trace).stream().findFirst().orElse(0);
  }
}
