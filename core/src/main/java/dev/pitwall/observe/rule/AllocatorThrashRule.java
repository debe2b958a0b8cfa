package dev.pitwall.observe.rule;

import dev.pitwall.finding.Fix;
import dev.pitwall.observe.DeviceTime;
import dev.pitwall.observe.IdleCause;
import dev.pitwall.observe.Observation;
import dev.pitwall.trace.pattern.AllocatorCalls;

/// Device memory is taken from the driver and given back in every step, past the cache that exists
/// to avoid it.
final class AllocatorThrashRule implements Rule {
  private static final double LEAST_SHARE = 0.005;

  @Override
  public String id() {
    return "allocator-thrash";
  }

  @Override
  public Verdict judge(Observation observation) {
    DeviceTime device = observation.deviceTime();
    if (device == null) {
      return new Verdict.CannotJudge(Needs.DEVICE_WORK);
    }
    if (!observation.quality().idleIsCredible()) {
      return new Verdict.CannotJudge(Needs.credibleIdle(observation.quality()));
    }
    int[] calls = AllocatorCalls.find(observation.index());
    if (calls.length < observation.stepCount()) {
      return Verdict.Clean.CLEAN;
    }
    Loss loss = Loss.of(observation, device.gaps().totalNanos(IdleCause.ALLOCATOR));
    Loss inCalls = Loss.of(observation, Loss.nanos(observation, calls));
    if (!inCalls.atLeast(LEAST_SHARE)) {
      return Verdict.Clean.CLEAN;
    }
    return new Verdict.Fault(
        loss.finding(
            id(),
            String.format(
                "The driver's allocator is called %s (%.1f ms on the host); the GPU idles %s a step"
                    + " for it.",
                Loss.timesPerStep(observation, calls.length), inCalls.millis(), loss.text()),
            "cudaMalloc and cudaFree cost up to a millisecond each, and cudaFree waits for the"
                + " whole device. PyTorch caches freed memory so that a steady step calls neither."
                + " They come back when the cache is emptied, when shapes change from step to step,"
                + " or when memory is nearly full and the allocator retries.",
            new Fix(
                "Remove torch.cuda.empty_cache() from the loop; with varying shapes pad to a few"
                    + " sizes or use expandable segments; near the limit make the batch smaller.",
                """
                # no torch.cuda.empty_cache() in the step
                PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True python train.py\
                """,
                "https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management"),
            Loss.longest(observation, calls)));
  }
}
