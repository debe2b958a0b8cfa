package dev.pitwall.observe.rule;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Trace;

/// What recording adds to the host's time, roughly. Used only to keep a rule from blaming the
/// program for the profiler; the unprofiled step is estimated elsewhere, call by call.
final class ProfilerCost {
  /// Nanoseconds the host loses for each runtime or driver call, the operators around it included:
  /// the median over 37 programs on one H200 with PyTorch 2.11, CPU and CUDA activities and shapes
  /// recorded.
  private static final long PER_CALL_NANOS = 18_000;

  /// The same where no operators are recorded, as in most exports of Nsight Systems: the cost of a
  /// launch alone (column `launch` of the study's `profiling_overhead.csv`).
  private static final long PER_CALL_WITHOUT_OPERATORS_NANOS = 3_000;

  private ProfilerCost() {}

  static long perCallNanos(Trace trace) {
    return trace.slices().rows(Category.CPU_OP).length > 0
        ? PER_CALL_NANOS
        : PER_CALL_WITHOUT_OPERATORS_NANOS;
  }
}
