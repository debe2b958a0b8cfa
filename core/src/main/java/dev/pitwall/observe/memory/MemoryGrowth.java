package dev.pitwall.observe.memory;

import dev.pitwall.trace.memory.MemorySnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Whether active memory grows from step to step, read at the same point of each: the end of the
/// optimizer's step that PyTorch marks in the history. Reserved memory may grow and then rest; that
/// is a cache. Only this growth is a leak.
///
/// @param stepEndBytes active bytes at the end of each optimizer step, oldest first
/// @param grownBytesPerStep median growth from one to the next
/// @param leaks whether every step from the second on grew by more than a thousandth of the peak
public record MemoryGrowth(List<Long> stepEndBytes, long grownBytesPerStep, boolean leaks) {
  private static final int LEAST_STEPS = 3;
  private static final double LEAST_SHARE_OF_PEAK = 0.001;

  public MemoryGrowth {
    stepEndBytes = List.copyOf(stepEndBytes);
  }

  /// Empty where the history marks fewer than three optimizer steps, so that nothing can be said.
  public static Optional<MemoryGrowth> of(MemorySnapshot snapshot, MemoryTimeline timeline) {
    List<Long> ends = new ArrayList<>();
    for (MemorySnapshot.Annotation mark : snapshot.annotations()) {
      if (!mark.start()
          && mark.device() == timeline.device()
          && mark.name().startsWith("Optimizer.step#")
          && mark.timeMicros() >= timeline.timeMicros()[0]) {
        ends.add(timeline.activeBytes()[timeline.stateAt(mark.timeMicros())]);
      }
    }
    if (ends.size() < LEAST_STEPS) {
      return Optional.empty();
    }
    List<Long> growths = new ArrayList<>();
    for (int step = 1; step < ends.size(); step++) {
      growths.add(ends.get(step) - ends.get(step - 1));
    }
    growths.sort(null);
    boolean leaks = growths.getFirst() > LEAST_SHARE_OF_PEAK * timeline.peakActiveBytes();
    return Optional.of(new MemoryGrowth(ends, growths.get(growths.size() / 2), leaks));
  }
}
