package dev.pitwall.observe.rule;

import dev.pitwall.finding.Fix;
import dev.pitwall.observe.DeviceTime;
import dev.pitwall.observe.IdleCause;
import dev.pitwall.observe.Observation;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.pattern.PageableCopies;

/// A batch is uploaded from pageable memory: slow, and the host is held until it is done.
final class PageableCopyRule implements Rule {
  private static final double LEAST_SHARE = 0.005;

  @Override
  public String id() {
    return "pageable-copy";
  }

  @Override
  public Verdict judge(Observation observation) {
    DeviceTime device = observation.deviceTime();
    if (device == null) {
      return new Verdict.CannotJudge(Needs.DEVICE_WORK);
    }
    int[] uploads = PageableCopies.findUploads(observation.index());
    if (uploads.length == 0) {
      return Verdict.Clean.CLEAN;
    }
    long exposed = Math.min(Loss.nanos(observation, uploads), device.copyNanos());
    Loss loss = Loss.of(observation, exposed + device.gaps().totalNanos(IdleCause.PAGEABLE_COPY));
    if (!loss.atLeast(LEAST_SHARE)) {
      return Verdict.Clean.CLEAN;
    }
    return new Verdict.Fault(
        loss.finding(
            id(),
            String.format(
                "Uploads from pageable memory (%.0f MB a step) hold host and GPU for %s a step.",
                megabytes(observation, uploads), loss.text()),
            "The GPU can only read page-locked memory by itself. From an ordinary tensor the driver"
                + " copies piece by piece through a small pinned buffer while the calling thread"
                + " waits; non_blocking=True changes nothing then. A non-contiguous tensor is first"
                + " copied once more on the CPU.",
            new Fix(
                "Let the DataLoader pin its batches and copy them without blocking; make the tensor"
                    + " contiguous in the workers, not in the training loop.",
                """
                loader = DataLoader(dataset, pin_memory=True, num_workers=8)
                for x, y in loader:
                    x = x.to("cuda", non_blocking=True)\
                """,
                "https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html"),
            Loss.longest(observation, uploads)));
  }

  private static double megabytes(Observation observation, int[] uploads) {
    Slices slices = observation.index().trace().slices();
    long bytes = 0;
    for (int row : uploads) {
      int detail = slices.deviceWorkDetail(row);
      bytes += detail == Slices.NONE ? 0 : Math.max(0, slices.deviceWork().bytes(detail));
    }
    return bytes / 1e6 / observation.stepCount();
  }
}
