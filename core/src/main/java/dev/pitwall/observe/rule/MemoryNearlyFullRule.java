package dev.pitwall.observe.rule;

import dev.pitwall.finding.Fix;
import dev.pitwall.observe.MemoryUse;
import dev.pitwall.observe.Observation;
import java.util.List;
import java.util.Locale;

/// Tensors use more than nine tenths of the device: the next longer batch fails.
final class MemoryNearlyFullRule implements Rule {
  private static final double FULL_SHARE = 0.90;

  @Override
  public String id() {
    return "memory-nearly-full";
  }

  @Override
  public Verdict judge(Observation observation) {
    MemoryUse memory = observation.memory();
    if (memory == null || memory.deviceBytes() <= 0) {
      return observation.deviceTime() == null
          ? Verdict.NotApplicable.NOT_APPLICABLE
          : new Verdict.CannotJudge(Needs.MEMORY);
    }
    if (memory.peakAllocatedBytes() < FULL_SHARE * memory.deviceBytes()) {
      return Verdict.Clean.CLEAN;
    }
    return new Verdict.Fault(
        Loss.none()
            .finding(
                id(),
                String.format(
                    Locale.ROOT,
                    "Tensors take %.1f of %.1f GB: a longer batch will run out of memory.",
                    memory.peakAllocatedBytes() / 1e9,
                    memory.deviceBytes() / 1e9),
                "Near the limit the caching allocator frees its cache and tries again, which stalls"
                    + " the device, and any growth ends the run.",
                new Fix(
                    "bf16 autocast, shard optimizer state (ZeRO, FSDP), checkpoint activations, or"
                        + " a smaller micro-batch with accumulation.",
                    "fully_shard(model)",
                    "https://docs.pytorch.org/docs/stable/distributed.fsdp.fully_shard.html"),
                List.of()));
  }
}
