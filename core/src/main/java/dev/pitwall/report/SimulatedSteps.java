package dev.pitwall.report;

import dev.pitwall.trace.Steps;
import dev.pitwall.trace.TraceIndex;
import java.util.Arrays;
import java.util.Optional;

/// The steps that are simulated in passing: all of a short recording, some from the middle of a
// long
/// one. A report must not take longer than reading its trace.
final class SimulatedSteps {
  /// Slices that can be built and simulated for all fixes in about a second.
  private static final int MOST_SLICES = 60_000;

  private SimulatedSteps() {}

  /// The same trace with the steps to simulate; empty where it has none or each is too long.
  static Optional<TraceIndex> of(TraceIndex index) {
    Steps steps = index.steps();
    if (steps.count() == 0 || index.launches().deviceRows() == 0 || isTooLong(index)) {
      return Optional.empty();
    }
    int kept = (int) Math.clamp(MOST_SLICES / slicesPerStep(index), 1, steps.count());
    if (kept == steps.count()) {
      return Optional.of(index);
    }
    int first = (steps.count() - kept) / 2;
    Steps middle =
        new Steps(
            steps.source(),
            steps.name(),
            Arrays.copyOfRange(steps.startNanos(), first, first + kept),
            Arrays.copyOfRange(steps.endNanos(), first, first + kept));
    return Optional.of(new TraceIndex(index.trace(), middle, index.launches(), index.calls()));
  }

  static boolean isTooLong(TraceIndex index) {
    return index.steps().count() > 0 && slicesPerStep(index) > 2L * MOST_SLICES;
  }

  private static long slicesPerStep(TraceIndex index) {
    return Math.max(1, index.trace().slices().size() / index.steps().count());
  }
}
