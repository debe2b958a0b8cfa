package dev.pitwall.observe.rule;

import dev.pitwall.finding.Fix;
import dev.pitwall.observe.CollectiveStatistics;
import dev.pitwall.observe.Observation;
import dev.pitwall.trace.Collective;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.pattern.KernelClass;
import dev.pitwall.trace.pattern.Kernels;
import dev.pitwall.trace.pattern.RowList;
import java.util.EnumSet;

/// Many collectives carry so little that their start-up is most of their cost.
final class SmallCollectivesRule implements Rule {
  /// Below this a collective's time is latency: on one NVLink host an all-reduce reaches half its
  /// bandwidth at about 1 MiB, across hosts later.
  private static final long SMALL_BYTES = 1 << 20;

  private static final int LEAST_PER_STEP = 8;

  @Override
  public String id() {
    return "small-collectives";
  }

  @Override
  public Verdict judge(Observation observation) {
    if (observation.deviceTime() == null) {
      return new Verdict.CannotJudge(Needs.DEVICE_WORK);
    }
    Trace trace = observation.index().trace();
    Slices slices = trace.slices();
    int[] collectives =
        Kernels.ofClass(
            observation.index(), observation.kernelNames(), EnumSet.of(KernelClass.COMMUNICATION));
    if (collectives.length == 0) {
      return Verdict.NotApplicable.NOT_APPLICABLE;
    }
    RowList small = new RowList();
    boolean sizesKnown = false;
    for (int row : collectives) {
      int detail = slices.deviceWorkDetail(row);
      int collective = detail == Slices.NONE ? -1 : slices.deviceWork().collective(detail);
      Collective moved = collective < 0 ? null : trace.collectives().get(collective);
      long bytes = moved == null ? -1 : CollectiveStatistics.bytes(moved);
      sizesKnown |= bytes >= 0;
      if (bytes >= 0 && bytes < SMALL_BYTES) {
        small.add(row);
      }
    }
    if (!sizesKnown) {
      return new Verdict.CannotJudge("message sizes on the collectives (PyTorch 2.2 or newer)");
    }
    if (small.size() < LEAST_PER_STEP * observation.stepCount()) {
      return Verdict.Clean.CLEAN;
    }
    int[] rows = small.toArray();
    Loss all = Loss.of(observation, Loss.nanos(observation, rows));
    double exposedShare =
        observation.deviceTime().communicationNanos() == 0
            ? 0
            : (double) observation.deviceTime().exposedCommunicationNanos()
                / observation.deviceTime().communicationNanos();
    Loss loss = new Loss(all.millis() * exposedShare, all.fraction() * exposedShare);
    return new Verdict.Fault(
        loss.finding(
            id(),
            String.format(
                "%,d collectives a step carry less than 1 MiB; about %s a step of their time is"
                    + " exposed.",
                rows.length / observation.stepCount(), loss.text()),
            "A small collective costs its start-up, some tens of microseconds and more across"
                + " hosts, whatever it carries; many of them add up and keep large ones waiting.",
            new Fix(
                "Bundle them: a larger bucket for DDP, wrapping whole blocks (not single layers)"
                    + " with FSDP, one all-reduce for several scalars.",
                """
                model = DDP(model, bucket_cap_mb=100)
                for block in model.blocks:      # one unit per block
                    fully_shard(block)\
                """,
                "https://docs.pytorch.org/docs/stable/generated/"
                    + "torch.nn.parallel.DistributedDataParallel.html"),
            Loss.longest(observation, rows)));
  }
}
