package dev.pitwall.observe;

import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import java.util.Arrays;

/// How many launches wait for the device over time: plus one when a call launches, minus one when
/// the work it launched begins. A queue near 0 means the device waits for the host; a queue that
/// stands at about 1,000 is full, and the host waits for the device.
final class QueueLength {
  private static final int SLOTS = 600;

  private QueueLength() {}

  static Series of(TraceIndex index, int[] deviceRows, StepWindows windows) {
    Slices slices = index.trace().slices();
    long[] launched = new long[deviceRows.length];
    long[] begun = new long[deviceRows.length];
    long from = windows.startNanos(0);
    int size = 0;
    for (int row : deviceRows) {
      int call = index.launches().launchOf(row);
      if (call != Slices.NONE) {
        launched[size] = slices.startNanos(call);
        from = Math.min(from, launched[size]);
        begun[size++] = slices.startNanos(row);
      }
    }
    launched = Arrays.copyOf(launched, size);
    begun = Arrays.copyOf(begun, size);
    Arrays.sort(launched);
    Arrays.sort(begun);
    Series.Builder series = new Series.Builder(from, windows.endNanos(windows.count() - 1), SLOTS);
    int waiting = 0;
    int l = 0;
    int b = 0;
    while (l < size || b < size) {
      if (l < size && (b == size || launched[l] <= begun[b])) {
        series.set(launched[l++], ++waiting);
      } else {
        series.set(begun[b++], --waiting);
      }
    }
    return series.build("queue length", "launches");
  }
}
