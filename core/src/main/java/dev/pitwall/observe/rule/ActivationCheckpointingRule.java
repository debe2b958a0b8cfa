package dev.pitwall.observe.rule;

import dev.pitwall.finding.Fix;
import dev.pitwall.observe.MemoryUse;
import dev.pitwall.observe.Observation;
import dev.pitwall.trace.pattern.Recomputations;
import java.util.Locale;

/// Forward is computed twice: activations are thrown away and recomputed in backward. Worth it only
/// where memory would not do otherwise.
final class ActivationCheckpointingRule implements Rule {
  private static final double LEAST_SHARE = 0.01;

  @Override
  public String id() {
    return "activation-checkpointing";
  }

  @Override
  public Verdict judge(Observation observation) {
    if (observation.deviceTime() == null) {
      return new Verdict.CannotJudge(Needs.DEVICE_WORK);
    }
    int[] rows = Recomputations.find(observation.index());
    if (rows.length == 0) {
      return Verdict.Clean.CLEAN;
    }
    Loss loss = Loss.of(observation, Loss.nanos(observation, rows));
    if (!loss.atLeast(LEAST_SHARE)) {
      return Verdict.Clean.CLEAN;
    }
    MemoryUse memory = observation.memory();
    String room =
        memory != null && memory.deviceBytes() > 0
            ? String.format(
                Locale.ROOT,
                " The recording peaks at %.1f of %.1f GB.",
                memory.peakAllocatedBytes() / 1e9,
                memory.deviceBytes() / 1e9)
            : "";
    return new Verdict.Fault(
        loss.finding(
            id(),
            String.format(
                "Activation checkpointing computes forward again in backward: %s a step.",
                loss.text()),
            "A checkpointed block keeps only its input and runs its forward a second time when"
                + " backward needs the activations. That buys memory with time, and is lost time"
                + " where the memory is not needed."
                + room,
            new Fix(
                "Where memory allows, switch it off, or checkpoint fewer blocks, or keep the matmul"
                    + " results with a selective policy.",
                """
                # every block -> only each second one, or none
                x = checkpoint(block, x, use_reentrant=False) if i % 2 else block(x)\
                """,
                "https://docs.pytorch.org/docs/stable/checkpoint.html"),
            Loss.longest(observation, rows)));
  }
}
