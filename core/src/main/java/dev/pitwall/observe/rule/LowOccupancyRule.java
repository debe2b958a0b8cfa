package dev.pitwall.observe.rule;

import dev.pitwall.finding.Evidence;
import dev.pitwall.finding.Fix;
import dev.pitwall.observe.KernelStatistics;
import dev.pitwall.observe.Observation;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.pattern.KernelClass;
import dev.pitwall.trace.pattern.RowList;
import java.util.List;
import java.util.Locale;

/// An opportunity: kernels whose grid does not fill the device; most multiprocessors have no block
/// at all. Occupancy is recomputed from registers, shared memory and block size; the recorded one
/// reads 0 for every kernel above 48 KiB of shared memory.
final class LowOccupancyRule implements Rule {
  private static final double FEW_WAVES = 0.5;
  private static final double LEAST_SHARE = 0.05;
  private static final long LEAST_NANOS = 20_000;

  @Override
  public String id() {
    return "low-occupancy";
  }

  @Override
  public Verdict judge(Observation observation) {
    if (observation.deviceTime() == null) {
      return new Verdict.CannotJudge(Needs.DEVICE_WORK);
    }
    double emptyNanos = 0;
    boolean judged = false;
    String worst = "";
    double worstNanos = 0;
    for (KernelStatistics kernel : observation.kernels()) {
      judged |= !Double.isNaN(kernel.waves());
      boolean longEnough = kernel.totalNanos() >= LEAST_NANOS * kernel.count();
      // A collective takes few blocks on purpose and waits in them.
      boolean computes = kernel.kernelClass() != KernelClass.COMMUNICATION;
      if (kernel.waves() < FEW_WAVES && longEnough && computes) {
        double empty = kernel.totalNanos() * (1 - kernel.waves());
        emptyNanos += empty;
        if (empty > worstNanos) {
          worstNanos = empty;
          worst = kernel.name();
        }
      }
    }
    if (!judged) {
      return new Verdict.CannotJudge(Needs.LAUNCH_SHAPES);
    }
    Loss loss = Loss.of(observation, emptyNanos);
    if (!loss.atLeast(LEAST_SHARE)) {
      return Verdict.Clean.CLEAN;
    }
    return new Verdict.Opportunity(
        loss.finding(
            id(),
            String.format(
                Locale.ROOT,
                "Kernels with too few blocks leave most of the GPU empty: worth up to %s a step.",
                loss.text()),
            "A kernel whose grid has fewer blocks than fit on the device at once leaves"
                + " multiprocessors without work for its whole duration, however full the others"
                + " are.",
            new Fix(
                "Give these operators more work at once (larger batch, merged small operators), or"
                    + " let torch.compile fuse or split them.",
                "model = torch.compile(model)",
                "https://docs.pytorch.org/docs/stable/generated/torch.compile.html"),
            evidence(observation, worst)));
  }

  private static List<Evidence> evidence(Observation observation, String kernel) {
    Trace trace = observation.index().trace();
    Slices slices = trace.slices();
    int name = trace.names().find(kernel);
    RowList rows = new RowList();
    for (int row : slices.rows(Category.KERNEL)) {
      if (slices.nameId(row) == name) {
        rows.add(row);
      }
    }
    return Loss.longest(observation, rows.toArray());
  }
}
