package dev.pitwall.observe.rule;

import dev.pitwall.finding.Fix;
import dev.pitwall.observe.DeviceTime;
import dev.pitwall.observe.IdleCause;
import dev.pitwall.observe.Observation;
import dev.pitwall.trace.pattern.InputWaits;
import java.util.Locale;

/// The training waits for its next batch. The wait hides between iterations, so it is measured as
/// the device idle time that it causes, not as an operator's average.
final class InputBoundRule implements Rule {
  private static final double LEAST_SHARE = 0.01;

  @Override
  public String id() {
    return "input-bound";
  }

  @Override
  public Verdict judge(Observation observation) {
    int[] waits = InputWaits.find(observation.index());
    if (waits.length == 0) {
      return Verdict.NotApplicable.NOT_APPLICABLE;
    }
    if (observation.index().steps().count() == 0) {
      return new Verdict.CannotJudge(Needs.STEPS);
    }
    DeviceTime device = observation.deviceTime();
    Loss loss =
        Loss.of(
            observation,
            device == null
                ? observation.host().inputNanos()
                : device.gaps().totalNanos(IdleCause.INPUT));
    if (!loss.atLeast(LEAST_SHARE)) {
      return Verdict.Clean.CLEAN;
    }
    boolean inProcess =
        observation.index().trace().name(waits[0]).contains("_SingleProcessDataLoaderIter");
    return new Verdict.Fault(
        loss.finding(
            id(),
            String.format(
                Locale.ROOT,
                "The step waits %s for its next batch%s.",
                loss.text(),
                inProcess
                    ? ", which the training process itself prepares (num_workers=0)"
                    : ": the DataLoader's workers do not keep up"),
            inProcess
                ? "With num_workers=0 every batch is loaded, decoded and collated on the training"
                    + " thread, and the GPU stands still meanwhile."
                : "The workers together make batches more slowly than the GPU consumes them; after"
                    + " the prefetched ones are used up, each step waits for the next.",
            new Fix(
                "Load in enough worker processes, keep them alive, pin their batches, and make the"
                    + " work per sample cheaper (decode smaller, augment on the GPU, cache).",
                """
                loader = DataLoader(
                    dataset, batch_size=128, num_workers=8, pin_memory=True,
                    persistent_workers=True, prefetch_factor=4)\
                """,
                "https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading"),
            Loss.longest(observation, waits)));
  }
}
