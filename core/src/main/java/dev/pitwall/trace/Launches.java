package dev.pitwall.trace;

import java.util.Arrays;

/// Which API call launched which device work, joined by correlation id.
///
/// One call may launch many device rows (a CUDA graph). Device work whose call is not in the trace
/// is an orphan: it was launched before the recording began, or the recorder lost the call.
public final class Launches {
  /// Device work of a smaller share of the recording is a row or two of a program on the CPU.
  private static final double LEAST_SHARE = 0.01;

  private final int[] launchOfDeviceRow;
  private final int[] firstDeviceRow;
  private final int[] nextDeviceRow;
  private final int orphans;
  private final int deviceRows;
  private final boolean unrecorded;

  private Launches(
      int[] launchOfDeviceRow,
      int[] firstDeviceRow,
      int[] nextDeviceRow,
      int orphans,
      int deviceRows,
      boolean unrecorded) {
    this.launchOfDeviceRow = launchOfDeviceRow;
    this.firstDeviceRow = firstDeviceRow;
    this.nextDeviceRow = nextDeviceRow;
    this.orphans = orphans;
    this.deviceRows = deviceRows;
    this.unrecorded = unrecorded;
  }

  public static Launches of(Trace trace) {
    Slices slices = trace.slices();
    int size = slices.size();
    CorrelationMap calls = new CorrelationMap();
    for (int row : slices.apiCallRows()) {
      if (slices.correlation(row) != Slices.NONE) {
        // A runtime call wraps the driver call of the same id, so the outer (first) one is kept.
        calls.putIfAbsent(slices.correlation(row), row);
      }
    }
    int[] launch = filled(size);
    int[] first = filled(size);
    int[] next = filled(size);
    int orphans = 0;
    int[] deviceRows = slices.deviceRows();
    for (int at = deviceRows.length - 1; at >= 0; at--) {
      int row = deviceRows[at];
      int call = calls.get(slices.correlation(row));
      if (call == Slices.NONE) {
        orphans++;
      } else {
        launch[row] = call;
        next[row] = first[call];
        first[call] = row;
      }
    }
    boolean unrecorded = orphans > 0 && orphans == deviceRows.length && isMuch(slices);
    return new Launches(launch, first, next, orphans, deviceRows.length, unrecorded);
  }

  private static boolean isMuch(Slices slices) {
    long start = Long.MAX_VALUE;
    long end = Long.MIN_VALUE;
    for (int row = 0; row < slices.size(); row++) {
      start = Math.min(start, slices.startNanos(row));
      end = Math.max(end, slices.endNanos(row));
    }
    double device = 0;
    for (int row : slices.deviceRows()) {
      device += slices.durationNanos(row);
    }
    return device >= LEAST_SHARE * (end - start);
  }

  /// The API call that launched this device row, [Slices#NONE] for an orphan or another row.
  public int launchOf(int deviceRow) {
    return launchOfDeviceRow[deviceRow];
  }

  /// The first device row that this API call launched, [Slices#NONE] where it launched none.
  public int firstDeviceRow(int callRow) {
    return firstDeviceRow[callRow];
  }

  /// The next device row of the same call, in order of track and start, or [Slices#NONE].
  public int nextDeviceRow(int deviceRow) {
    return nextDeviceRow[deviceRow];
  }

  /// Device rows whose launch is outside the trace.
  public int orphans() {
    return orphans;
  }

  /// Whether there is device work worth the name and the launch of none of it is in the trace.
  public boolean areUnrecorded() {
    return unrecorded;
  }

  /// Kernels, copies and sets in the trace.
  public int deviceRows() {
    return deviceRows;
  }

  private static int[] filled(int size) {
    int[] rows = new int[size];
    Arrays.fill(rows, Slices.NONE);
    return rows;
  }

  /// Open addressing from correlation id to row; ids are never negative but for [Slices#NONE].
  private static final class CorrelationMap {
    private int[] keys = filled(1 << 12);
    private int[] rows = new int[1 << 12];
    private int size;

    void putIfAbsent(int key, int row) {
      if (size * 2 >= keys.length) {
        grow();
      }
      int slot = slot(key);
      if (keys[slot] == Slices.NONE) {
        keys[slot] = key;
        rows[slot] = row;
        size++;
      }
    }

    int get(int key) {
      if (key == Slices.NONE) {
        return Slices.NONE;
      }
      int slot = slot(key);
      return keys[slot] == Slices.NONE ? Slices.NONE : rows[slot];
    }

    private int slot(int key) {
      int mask = keys.length - 1;
      int slot = (key * 0x9E3779B9) >>> 8 & mask;
      while (keys[slot] != Slices.NONE && keys[slot] != key) {
        slot = (slot + 1) & mask;
      }
      return slot;
    }

    private void grow() {
      int[] oldKeys = keys;
      int[] oldRows = rows;
      keys = filled(oldKeys.length * 2);
      rows = new int[oldKeys.length * 2];
      size = 0;
      for (int i = 0; i < oldKeys.length; i++) {
        if (oldKeys[i] != Slices.NONE) {
          putIfAbsent(oldKeys[i], oldRows[i]);
        }
      }
    }
  }
}
