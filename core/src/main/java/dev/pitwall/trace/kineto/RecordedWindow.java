package dev.pitwall.trace.kineto;

import static dev.pitwall.trace.json.JsonScanner.ABSENT;

/// The span of time that was recorded: from the recorder's own marks where they are sound, else
/// from the first slice to the last.
final class RecordedWindow {
  /// Old recorders put the end mark days off; farther from the last slice than this it is not
  /// believed (86.4 s: the limit that PyTorch's TensorBoard plugin applied).
  private static final long FARTHEST_END_NANOS = 86_400_000_000L;

  private long firstStart = Long.MAX_VALUE;
  private long lastEnd = Long.MIN_VALUE;
  private long markedStart = ABSENT;
  private long markedEnd = ABSENT;

  void slice(long startNanos, long durationNanos) {
    if (startNanos > 0) {
      firstStart = Math.min(firstStart, startNanos);
      lastEnd = Math.max(lastEnd, startNanos + durationNanos);
    }
  }

  void start(long nanos) {
    markedStart = markedStart == ABSENT ? nanos : Math.min(markedStart, nanos);
  }

  void end(long nanos) {
    markedEnd = Math.max(markedEnd, nanos);
  }

  long startNanos() {
    if (firstStart == Long.MAX_VALUE) {
      return Math.max(0, markedStart);
    }
    boolean sound = markedStart > 0 && firstStart - markedStart < FARTHEST_END_NANOS;
    return sound ? Math.min(markedStart, firstStart) : firstStart;
  }

  long endNanos() {
    if (lastEnd == Long.MIN_VALUE) {
      return Math.max(startNanos(), markedEnd);
    }
    boolean sound = markedEnd > 0 && markedEnd - lastEnd < FARTHEST_END_NANOS;
    return sound ? Math.max(markedEnd, lastEnd) : lastEnd;
  }
}
