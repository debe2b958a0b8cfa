package dev.pitwall.observe.rule;

import dev.pitwall.finding.Fix;
import dev.pitwall.observe.Observation;
import dev.pitwall.trace.pattern.OptimizerSteps;
import dev.pitwall.trace.pattern.OptimizerSteps.Implementation;
import dev.pitwall.trace.pattern.OptimizerSteps.OptimizerStep;
import dev.pitwall.trace.pattern.RowList;
import java.util.List;
import java.util.Set;

/// An opportunity: the optimizer runs operation by operation over all parameters, and a fused
/// implementation exists.
final class OptimizerNotFusedRule implements Rule {
  /// `fused=True` exists for these (torch/optim, 2.4 and later).
  static final Set<String> HAVE_FUSED = Set.of("Adam", "AdamW", "SGD", "Adagrad");

  private static final double LEAST_SHARE = 0.005;

  @Override
  public String id() {
    return "optimizer-not-fused";
  }

  @Override
  public Verdict judge(Observation observation) {
    List<OptimizerStep> steps = OptimizerSteps.find(observation.index());
    if (steps.isEmpty()) {
      return Verdict.NotApplicable.NOT_APPLICABLE;
    }
    if (observation.deviceTime() == null) {
      return new Verdict.CannotJudge(Needs.DEVICE_WORK);
    }
    RowList kernels = new RowList();
    String optimizer = "";
    for (OptimizerStep step : steps) {
      if (step.implementation() == Implementation.FOREACH
          && HAVE_FUSED.contains(step.optimizer())) {
        optimizer = step.optimizer();
        for (int row : step.deviceRows()) {
          kernels.add(row);
        }
      }
    }
    int[] rows = kernels.toArray();
    Loss loss = Loss.of(observation, OptimizerCost.savedByFusing(observation, rows));
    if (!loss.atLeast(LEAST_SHARE)) {
      return Verdict.Clean.CLEAN;
    }
    return new Verdict.Opportunity(
        loss.finding(
            id(),
            String.format(
                "%s runs operation by operation over all parameters (foreach), %s a step.",
                optimizer, Loss.of(observation, Loss.nanos(observation, rows)).text()),
            "Foreach goes over all parameters once for each operation of the update; the fused"
                + " kernel does the whole update in one pass over memory.",
            new Fix(
                "Ask for the fused implementation.",
                "optimizer = torch.optim." + optimizer + "(model.parameters(), lr=lr, fused=True)",
                "https://docs.pytorch.org/docs/stable/optim.html"),
            Loss.longest(observation, rows)));
  }
}
