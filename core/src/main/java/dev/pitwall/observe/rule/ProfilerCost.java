package dev.pitwall.observe.rule;

import dev.pitwall.observe.HostTime;
import dev.pitwall.observe.Observation;

/// What recording adds to the host's time, roughly. Used only to keep a rule from blaming the
/// program for the profiler; the unprofiled step is estimated elsewhere, call by call, and the
/// nanoseconds here are those of its table, `profiling_overhead.csv`.
final class ProfilerCost {
  private static final long OPERATOR_NANOS = 2_800;
  private static final long OPERATOR_WITHOUT_SHAPES_NANOS = 2_000;
  private static final long LAUNCH_NANOS = 3_000;
  private static final long OTHER_CALL_NANOS = 150;

  private ProfilerCost() {}

  /// Nanoseconds over all steps. Operators and launches count, not every call of the runtime: one
  /// operator that sorts makes a hundred calls, most of which cost the recorder next to nothing.
  static long nanos(Observation observation) {
    HostTime host = observation.host();
    boolean shapes = observation.index().trace().recording().recordsShapes();
    return host.operators() * (shapes ? OPERATOR_NANOS : OPERATOR_WITHOUT_SHAPES_NANOS)
        + host.kernelLaunches() * LAUNCH_NANOS
        + (host.calls() - host.kernelLaunches()) * OTHER_CALL_NANOS;
  }
}
