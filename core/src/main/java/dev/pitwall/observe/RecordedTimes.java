package dev.pitwall.observe;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import java.util.Locale;
import java.util.Optional;

/// Whether the times of a recording can be real, and those of host and device of one clock.
///
/// @param spanNanos from the first to the last row
/// @param apartNanos how far all device work lies before or after all that the host did; negative
///     where they overlap or one is absent
/// @param aheadNanos how long before its launch device work begins, at most
record RecordedTimes(long spanNanos, long apartNanos, long aheadNanos) {
  /// No profiler's window lasts a week, as rows with no real timestamps seem to.
  private static final long LONGEST_RECORDING_NANOS = 7L * 24 * 3600 * 1_000_000_000;

  /// A device lags the host by the launches that wait in its queue, about a thousand, and is busy
  /// meanwhile; and it never runs ahead. On recordings they are at most 0.13 s apart.
  private static final long LARGEST_GAP_NANOS = 1_000_000_000;

  static RecordedTimes of(TraceIndex index) {
    Slices slices = index.trace().slices();
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    long hostFirst = Long.MAX_VALUE;
    long hostLast = Long.MIN_VALUE;
    for (int row = 0; row < slices.size(); row++) {
      long start = slices.startNanos(row);
      long end = slices.endNanos(row);
      first = Math.min(first, start);
      last = Math.max(last, end);
      if (isOfHost(slices.category(row))) {
        hostFirst = Math.min(hostFirst, start);
        hostLast = Math.max(hostLast, end);
      }
    }
    long deviceFirst = Long.MAX_VALUE;
    long deviceLast = Long.MIN_VALUE;
    long ahead = 0;
    for (int row : slices.deviceRows()) {
      deviceFirst = Math.min(deviceFirst, slices.startNanos(row));
      deviceLast = Math.max(deviceLast, slices.endNanos(row));
      int launch = index.launches().launchOf(row);
      if (launch != Slices.NONE) {
        ahead = Math.max(ahead, slices.startNanos(launch) - slices.startNanos(row));
      }
    }
    boolean both = hostFirst <= hostLast && deviceFirst <= deviceLast;
    long apart = both ? Math.max(deviceFirst - hostLast, hostFirst - deviceLast) : -1;
    return new RecordedTimes(slices.size() == 0 ? 0 : last - first, apart, ahead);
  }

  private static boolean isOfHost(Category category) {
    return category == Category.CPU_OP
        || category == Category.USER_ANNOTATION
        || category.isApiCall();
  }

  /// Why timestamps cannot be real, as a sentence; empty where they can.
  Optional<String> implausible() {
    return spanNanos < 0 || spanNanos > LONGEST_RECORDING_NANOS
        ? Optional.of(
            String.format(
                Locale.ROOT,
                "From its first to its last row the recording lasts %,.0f days: some timestamps are"
                    + " not real, and neither are the times made of them.",
                Math.abs((double) spanNanos) / 86_400e9))
        : Optional.empty();
  }

  /// Why host and device are of two clocks, as a sentence; empty where they can be of one.
  Optional<String> clocksApart() {
    boolean outside = apartNanos >= LARGEST_GAP_NANOS;
    if (!outside && aheadNanos < LARGEST_GAP_NANOS) {
      return Optional.empty();
    }
    return Optional.of(
        String.format(
                Locale.ROOT,
                outside
                    ? "Device times lie %,.1f s outside the host's window"
                    : "Device work begins up to %,.1f s before it is launched",
                (outside ? apartNanos : aheadNanos) / 1e9)
            + ": the clocks were not aligned; idle time and launches cannot be trusted.");
  }
}
