package dev.pitwall.observe.rule;

import dev.pitwall.finding.Fix;
import dev.pitwall.observe.MemoryUse;
import dev.pitwall.observe.Observation;
import java.util.List;
import java.util.Locale;

/// The allocator holds much more than tensors ever use at once.
final class FragmentationRule implements Rule {
  /// Reserved beyond allocated, as a share of the device: what is lost to anybody else.
  private static final double LEAST_SHARE_OF_DEVICE = 0.10;

  private static final double LEAST_SHARE_OF_RESERVED = 0.25;

  @Override
  public String id() {
    return "fragmentation";
  }

  @Override
  public Verdict judge(Observation observation) {
    MemoryUse memory = observation.memory();
    if (memory == null || memory.peakReservedBytes() < 0) {
      return observation.deviceTime() == null
          ? Verdict.NotApplicable.NOT_APPLICABLE
          : new Verdict.CannotJudge(Needs.MEMORY);
    }
    long unused = memory.peakReservedBytes() - memory.peakAllocatedBytes();
    boolean much = unused >= LEAST_SHARE_OF_RESERVED * memory.peakReservedBytes();
    boolean matters =
        memory.deviceBytes() > 0 && unused >= LEAST_SHARE_OF_DEVICE * memory.deviceBytes();
    if (!much || !matters) {
      return Verdict.Clean.CLEAN;
    }
    return new Verdict.Fault(
        Loss.none()
            .finding(
                id(),
                String.format(
                    Locale.ROOT,
                    "The allocator reserves %.1f GB while tensors never use more than %.1f GB: %.1f"
                        + " GB lie in pieces that do not fit.",
                    memory.peakReservedBytes() / 1e9,
                    memory.peakAllocatedBytes() / 1e9,
                    unused / 1e9),
                "Blocks are cut from segments of fixed size. When sizes change from step to step,"
                    + " free pieces remain that the next request does not fit in, and the allocator"
                    + " takes another segment. This costs no time until memory is full; then it"
                    + " costs retries, or the run.",
                new Fix(
                    "Use expandable segments, and pad varying shapes to a few sizes.",
                    "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True python train.py",
                    "https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management"),
                List.of()));
  }
}
