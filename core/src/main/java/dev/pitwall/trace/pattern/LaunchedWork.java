package dev.pitwall.trace.pattern;

import dev.pitwall.trace.Launches;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;

/// Device work launched from within a range of a CPU thread.
public final class LaunchedWork {
  private LaunchedWork() {}

  /// Adds the device rows whose launching call starts inside the CPU slice `cpuRow`, on its thread.
  ///
  /// @return the first row of the thread that starts after the slice has ended
  public static int collect(TraceIndex index, int cpuRow, RowList deviceRows) {
    return collect(index, cpuRow, cpuRow, deviceRows);
  }

  /// Adds the device rows launched between the start of `firstRow` and the end of `lastRow`, both
  /// of one thread.
  ///
  /// @return the first row of the thread that starts after `lastRow` has ended
  public static int collect(TraceIndex index, int firstRow, int lastRow, RowList deviceRows) {
    Slices slices = index.trace().slices();
    Launches launches = index.launches();
    int end = index.trace().endRow(slices.track(lastRow));
    long endNanos = slices.endNanos(lastRow);
    int row = firstRow;
    while (row < end && slices.startNanos(row) < endNanos) {
      for (int device = launches.firstDeviceRow(row);
          device != Slices.NONE;
          device = launches.nextDeviceRow(device)) {
        deviceRows.add(device);
      }
      row++;
    }
    return row;
  }
}
