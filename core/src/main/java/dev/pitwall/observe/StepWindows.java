package dev.pitwall.observe;

import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Steps;
import dev.pitwall.trace.TraceIndex;
import java.util.List;

/// The time of each step as the device sees it: from the moment the work of the step before is
/// done to the moment its own work is done. The windows tile the recording without gap or overlap,
/// so their mean is the throughput, however far the host runs ahead of the device.
///
/// ```
/// CPU  |step 0   |step 1   |                  (launches)
/// GPU     |work 0       |work 1       |       (runs later)
///         ^ window 0    ^ window 1    ^
/// ```
///
/// Work launched before the first step (orphans among it) ends before window 0 begins. A step that
/// launched nothing ends where its CPU range ends. Without steps there is one window over all
/// device work.
///
/// @param boundaries start of window 0, then the end of each window; ascending
/// @param stepsFound whether the windows are steps; if not there is one window over everything
/// @param byDevice whether the boundaries follow the device's work; if not they are the CPU ranges
public record StepWindows(long[] boundaries, boolean stepsFound, boolean byDevice) {
  /// The windows of the busiest device, as reports have them.
  public static StepWindows of(TraceIndex index) {
    List<Integer> devices = DeviceRows.busiestFirst(index.trace());
    return of(
        index,
        devices.isEmpty() ? new int[0] : DeviceRows.inOrder(index.trace(), devices.getFirst()));
  }

  /// @param deviceRows the device's work by ascending start
  static StepWindows of(TraceIndex index, int[] deviceRows) {
    Steps steps = index.steps();
    Slices slices = index.trace().slices();
    if (steps.count() == 0) {
      long start = Long.MAX_VALUE;
      long end = Long.MIN_VALUE;
      for (int row : deviceRows) {
        start = Math.min(start, slices.startNanos(row));
        end = Math.max(end, slices.endNanos(row));
      }
      boolean any = deviceRows.length > 0;
      return new StepWindows(new long[] {any ? start : 0, any ? end : 0}, false, any);
    }
    if (deviceRows.length == 0) {
      long[] boundaries = new long[steps.count() + 1];
      boundaries[0] = steps.startNanos()[0];
      for (int step = 0; step < steps.count(); step++) {
        boundaries[step + 1] = Math.max(boundaries[step], steps.endNanos()[step]);
      }
      return new StepWindows(boundaries, true, false);
    }
    return byDevice(index, deviceRows);
  }

  private static StepWindows byDevice(TraceIndex index, int[] deviceRows) {
    Steps steps = index.steps();
    Slices slices = index.trace().slices();
    long[] boundaries = new long[steps.count() + 1];
    java.util.Arrays.fill(boundaries, Long.MIN_VALUE);
    long firstStart = Long.MAX_VALUE;
    for (int row : deviceRows) {
      int step = index.countedStepOf(row);
      if (step >= 0) {
        firstStart = Math.min(firstStart, slices.startNanos(row));
        boundaries[step + 1] = Math.max(boundaries[step + 1], slices.endNanos(row));
      }
    }
    long start = steps.startNanos()[0];
    for (int row : deviceRows) {
      if (slices.startNanos(row) >= firstStart) {
        break;
      }
      start = Math.max(start, Math.min(slices.endNanos(row), firstStart));
    }
    boundaries[0] = Math.min(start, firstStart);
    for (int step = 0; step < steps.count(); step++) {
      long end = boundaries[step + 1];
      boundaries[step + 1] =
          Math.max(boundaries[step], end == Long.MIN_VALUE ? steps.endNanos()[step] : end);
    }
    return new StepWindows(boundaries, true, true);
  }

  public int count() {
    return boundaries.length - 1;
  }

  public long startNanos(int window) {
    return boundaries[window];
  }

  public long endNanos(int window) {
    return boundaries[window + 1];
  }

  public long durationNanos(int window) {
    return boundaries[window + 1] - boundaries[window];
  }

  public long totalNanos() {
    return boundaries[boundaries.length - 1] - boundaries[0];
  }

  /// Median, smallest and largest duration in milliseconds.
  public double[] medianMinMaxMillis() {
    double[] millis = new double[count()];
    for (int window = 0; window < millis.length; window++) {
      millis[window] = durationNanos(window) / 1e6;
    }
    java.util.Arrays.sort(millis);
    int middle = millis.length / 2;
    double median =
        millis.length % 2 == 1 ? millis[middle] : (millis[middle - 1] + millis[middle]) / 2;
    return new double[] {median, millis[0], millis[millis.length - 1]};
  }
}
