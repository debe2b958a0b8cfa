package dev.pitwall.trace;

/// The training steps of a trace, in order. A step is a range of CPU time on the thread that drives
/// the training; device work belongs to the step whose range launched it, never to the one it runs
/// in.
///
/// @param source where the ranges come from
/// @param name the name of the ranges, such as `ProfilerStep`
/// @param startNanos start of each step
/// @param endNanos end of each step
public record Steps(Source source, String name, long[] startNanos, long[] endNanos) {
  /// Where the ranges of the steps come from, most trustworthy first.
  public enum Source {
    PROFILER_STEP,
    NAMED_RANGE,
    INFERRED,
    NONE
  }

  public int count() {
    return startNanos.length;
  }

  /// The step that a moment of CPU time lies in, or -1.
  public int stepAt(long timeNanos) {
    int low = 0;
    int high = startNanos.length - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (timeNanos < startNanos[middle]) {
        high = middle - 1;
      } else if (timeNanos >= endNanos[middle]) {
        low = middle + 1;
      } else {
        return middle;
      }
    }
    return -1;
  }
}
