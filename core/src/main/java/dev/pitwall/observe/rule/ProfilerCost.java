package dev.pitwall.observe.rule;

/// What recording adds to the host's time, roughly. Used only to keep a rule from blaming the
/// program for the profiler; the unprofiled step is estimated elsewhere, call by call.
final class ProfilerCost {
  /// Nanoseconds the host loses for each runtime or driver call, the operators around it included:
  /// the median over 37 programs on one H200 with PyTorch 2.11, CPU and CUDA activities and shapes
  /// recorded.
  static final long PER_CALL_NANOS = 18_000;

  private ProfilerCost() {}
}
