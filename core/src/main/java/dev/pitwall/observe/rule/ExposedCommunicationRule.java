package dev.pitwall.observe.rule;

import dev.pitwall.finding.Fix;
import dev.pitwall.observe.DeviceTime;
import dev.pitwall.observe.Observation;
import dev.pitwall.trace.pattern.KernelClass;
import dev.pitwall.trace.pattern.Kernels;
import java.util.EnumSet;
import java.util.Locale;

/// Collectives run while nothing else does: communication that is not hidden behind compute.
final class ExposedCommunicationRule implements Rule {
  private static final double LEAST_SHARE = 0.03;

  @Override
  public String id() {
    return "exposed-communication";
  }

  @Override
  public Verdict judge(Observation observation) {
    DeviceTime device = observation.deviceTime();
    if (device == null) {
      return new Verdict.CannotJudge(Needs.DEVICE_WORK);
    }
    int[] collectives =
        Kernels.ofClass(
            observation.index(), observation.kernelNames(), EnumSet.of(KernelClass.COMMUNICATION));
    if (collectives.length == 0) {
      return Verdict.NotApplicable.NOT_APPLICABLE;
    }
    Loss loss = Loss.of(observation, device.exposedCommunicationNanos());
    if (!loss.atLeast(LEAST_SHARE)) {
      return Verdict.Clean.CLEAN;
    }
    double all = device.millisPerStep(device.communicationNanos());
    return new Verdict.Fault(
        loss.finding(
            id(),
            String.format(
                Locale.ROOT,
                "Communication takes %.1f ms a step and %s of it is not hidden behind compute"
                    + " (waiting for other ranks included).",
                all,
                loss.text()),
            "A collective starts when the last rank arrives and ends when the slowest link is done."
                + " Whatever is not overlapped with compute stands in the step in full. Small"
                + " buckets cost a start-up each; large ones start late; a rank that comes late"
                + " makes all others wait inside the kernel.",
            new Fix(
                "Compare the ranks first (a late rank is not the network). Then overlap more:"
                    + " larger buckets for small gradients, static_graph, FSDP prefetch, no_sync"
                    + " while accumulating, bf16 gradients.",
                """
                model = DDP(model, bucket_cap_mb=100, gradient_as_bucket_view=True, static_graph=True)
                with model.no_sync():        # all but the last micro-batch
                    loss.backward()\
                """,
                "https://docs.pytorch.org/docs/stable/notes/ddp.html"),
            Loss.longest(observation, collectives)));
  }
}
