package dev.pitwall.observe.rule;

import dev.pitwall.finding.Fix;
import dev.pitwall.observe.Observation;
import dev.pitwall.trace.pattern.GradientFills;

/// Gradients are filled with zeros and added to, instead of dropped and stored.
final class ZeroGradFillRule implements Rule {
  @Override
  public String id() {
    return "zero-grad-fill";
  }

  @Override
  public Verdict judge(Observation observation) {
    if (observation.deviceTime() == null) {
      return new Verdict.CannotJudge(Needs.DEVICE_WORK);
    }
    int[] fills = GradientFills.findFills(observation.index());
    if (fills.length == 0) {
      return Verdict.Clean.CLEAN;
    }
    int[] additions = GradientFills.findAccumulations(observation.index());
    Loss loss =
        Loss.of(observation, Loss.nanos(observation, fills) + Loss.nanos(observation, additions));
    return new Verdict.Fault(
        loss.finding(
            id(),
            String.format(
                "zero_grad fills gradients with zeros (%s kernels), and backward then has to add to"
                    + " them: %s a step.",
                Loss.timesPerStep(observation, fills.length).replace(" times a step", ""),
                loss.text()),
            "With set_to_none=False every gradient is written once with zeros and read and written"
                + " again by the addition in backward. Dropped gradients are simply stored by"
                + " backward, and their memory is free during forward.",
            new Fix(
                "Use the default of zero_grad.",
                "optimizer.zero_grad(set_to_none=True)   # the default since PyTorch 2.0",
                "https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html"),
            Loss.longest(observation, fills)));
  }
}
