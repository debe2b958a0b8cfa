package dev.pitwall.observe;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.KernelClass;
import dev.pitwall.trace.pattern.KernelNames;

/// Where a device's time went inside the step windows. Every moment is counted once, by this order:
/// compute, else communication (then it is *exposed*), else copy, else idle; so
/// `compute + exposedCommunication + copy + idle` is the windows' total. `communication` counts
/// hidden and exposed time.
///
/// @param windows the steps
/// @param deviceRows the device's work by ascending start
/// @param gaps the idle times with their causes
public record DeviceTime(
    int device,
    StepWindows windows,
    int[] deviceRows,
    long computeNanos,
    long communicationNanos,
    long exposedCommunicationNanos,
    long copyNanos,
    long idleNanos,
    IdleGaps gaps) {
  /// Measures one device.
  static DeviceTime of(
      TraceIndex index, int device, KernelNames kernels, RecordingQuality quality) {
    int[] rows = quality.withoutImpossible(DeviceRows.inOrder(index.trace(), device));
    StepWindows windows = StepWindows.of(index, rows);
    return new Sweep(index, windows, rows, kernels).run(device);
  }

  /// Device work and the host are both idle only here; milliseconds of one step on average.
  public double millisPerStep(long nanos) {
    return nanos / 1e6 / windows.count();
  }

  /// One pass over the device's work in order of start. `computeEnd` and its siblings hold how far
  /// work of each kind reaches; between two starts time is cut at these ends and at the windows'.
  private static final class Sweep {
    private final TraceIndex index;
    private final StepWindows windows;
    private final int[] rows;
    private final KernelNames kernels;
    private final IdleGaps gaps = new IdleGaps();
    private final IdleAttribution attribution;

    private long computeEnd = Long.MIN_VALUE;
    private long communicationEnd = Long.MIN_VALUE;
    private long copyEnd = Long.MIN_VALUE;
    private int window;

    private long compute;
    private long communication;
    private long exposed;
    private long copy;
    private long idle;

    Sweep(TraceIndex index, StepWindows windows, int[] rows, KernelNames kernels) {
      this.index = index;
      this.windows = windows;
      this.rows = rows;
      this.kernels = kernels;
      this.attribution = new IdleAttribution(index, kernels, gaps);
    }

    DeviceTime run(int device) {
      Slices slices = index.trace().slices();
      long cursor = windows.startNanos(0);
      long end = windows.endNanos(windows.count() - 1);
      int previous = Slices.NONE;
      for (int row : rows) {
        long start = Math.min(slices.startNanos(row), end);
        if (start > cursor) {
          advance(cursor, start, previous, row);
          cursor = start;
        }
        long rowEnd = slices.endNanos(row);
        switch (kind(row)) {
          case COMPUTE -> computeEnd = Math.max(computeEnd, rowEnd);
          case COMMUNICATION -> communicationEnd = Math.max(communicationEnd, rowEnd);
          case COPY -> copyEnd = Math.max(copyEnd, rowEnd);
        }
        previous = row;
      }
      advance(cursor, end, previous, Slices.NONE);
      return new DeviceTime(
          device, windows, rows, compute, communication, exposed, copy, idle, gaps);
    }

    private void advance(long from, long to, int previous, int next) {
      long at = from;
      while (at < to) {
        while (window < windows.count() - 1 && at >= windows.endNanos(window)) {
          window++;
        }
        long until = to;
        if (window < windows.count() - 1) {
          until = Math.min(until, windows.endNanos(window));
        }
        boolean computing = computeEnd > at;
        boolean communicating = communicationEnd > at;
        boolean copying = copyEnd > at;
        until = computing ? Math.min(until, computeEnd) : until;
        until = communicating ? Math.min(until, communicationEnd) : until;
        until = copying ? Math.min(until, copyEnd) : until;
        long span = until - at;
        communication += communicating ? span : 0;
        if (computing) {
          compute += span;
        } else if (communicating) {
          exposed += span;
        } else if (copying) {
          copy += span;
        } else {
          idle += span;
          attribution.attribute(at, until, window, previous, next);
        }
        at = until;
      }
    }

    private enum Kind {
      COMPUTE,
      COMMUNICATION,
      COPY
    }

    private Kind kind(int row) {
      Slices slices = index.trace().slices();
      if (slices.category(row) != Category.KERNEL) {
        return Kind.COPY;
      }
      return kernels.classOf(slices.nameId(row)) == KernelClass.COMMUNICATION
          ? Kind.COMMUNICATION
          : Kind.COMPUTE;
    }
  }
}
