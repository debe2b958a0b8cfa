package dev.pitwall.study;

import dev.pitwall.trace.Steps;
import dev.pitwall.trace.TraceIndex;
import java.util.Arrays;
import java.util.List;

/// The steps that are simulated: all of a short recording, some from the middle of a long one. An
/// answer must not take longer than reading the trace.
public final class SampledSteps {
  /// Slices that can be built and simulated for all fixes in about a second.
  private static final int MOST_SLICES = 60_000;

  private SampledSteps() {}

  /// The same traces with the steps to simulate, the same of every rank, at least one where there
  /// is one.
  public static List<TraceIndex> of(List<TraceIndex> ranks) {
    int steps = ranks.stream().mapToInt(rank -> rank.steps().count()).min().orElse(0);
    long largest = ranks.stream().mapToLong(SampledSteps::slicesPerStep).max().orElse(1);
    int kept = steps == 0 ? 0 : (int) Math.clamp(MOST_SLICES / largest, 1, steps);
    int first = (steps - kept) / 2;
    return ranks.stream().map(rank -> kept(rank, first, kept)).toList();
  }

  private static TraceIndex kept(TraceIndex index, int first, int count) {
    Steps steps = index.steps();
    if (count == steps.count()) {
      return index;
    }
    Steps middle =
        new Steps(
            steps.source(),
            steps.name(),
            Arrays.copyOfRange(steps.startNanos(), first, first + count),
            Arrays.copyOfRange(steps.endNanos(), first, first + count));
    return new TraceIndex(index.trace(), middle, index.launches(), index.calls());
  }

  /// Whether even one step is too much to be simulated in passing.
  public static boolean isTooLong(TraceIndex index) {
    return index.steps().count() > 0 && slicesPerStep(index) > 2L * MOST_SLICES;
  }

  private static long slicesPerStep(TraceIndex index) {
    return Math.max(1, index.trace().slices().size() / Math.max(1, index.steps().count()));
  }
}
