package dev.pitwall.observe.rule;

import dev.pitwall.finding.Fix;
import dev.pitwall.observe.MemoryUse;
import dev.pitwall.observe.Observation;
import java.util.List;
import java.util.Locale;

/// Allocated memory at the end of a step grows from step to step: a leak, as opposed to a cache.
final class MemoryGrowthRule implements Rule {
  private static final int LEAST_STEPS = 3;
  private static final double LEAST_SHARE_OF_PEAK = 0.001;

  @Override
  public String id() {
    return "memory-growth";
  }

  @Override
  public Verdict judge(Observation observation) {
    MemoryUse memory = observation.memory();
    if (memory == null) {
      return observation.deviceTime() == null
          ? Verdict.NotApplicable.NOT_APPLICABLE
          : new Verdict.CannotJudge(Needs.MEMORY);
    }
    long[] ends = memory.atStepEndBytes();
    if (ends.length < LEAST_STEPS) {
      return new Verdict.CannotJudge("at least three steps with memory recorded");
    }
    long smallest = Long.MAX_VALUE;
    for (int step = 1; step < ends.length; step++) {
      smallest = Math.min(smallest, ends[step] - ends[step - 1]);
    }
    if (smallest <= LEAST_SHARE_OF_PEAK * memory.peakAllocatedBytes()) {
      return Verdict.Clean.CLEAN;
    }
    double grown = (ends[ends.length - 1] - ends[0]) / 1e6 / (ends.length - 1);
    return new Verdict.Fault(
        Loss.none()
            .finding(
                id(),
                String.format(
                    Locale.ROOT,
                    "Allocated memory at the end of the step grows by %.1f MB in every step.",
                    grown),
                "Reserved memory may grow and rest; what tensors hold at the same point of the step"
                    + " must not. Something keeps tensors of past steps alive, most often a list of"
                    + " losses that still hold their graphs.",
                new Fix(
                    "Keep numbers, not tensors with graphs.",
                    "losses.append(loss.detach())     # not losses.append(loss)",
                    "https://docs.pytorch.org/docs/stable/torch_cuda_memory.html"),
                List.of()));
  }
}
