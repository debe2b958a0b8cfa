package dev.pitwall.observe.rule;

import dev.pitwall.finding.Fix;
import dev.pitwall.observe.Observation;
import dev.pitwall.trace.pattern.OptimizerSteps;
import dev.pitwall.trace.pattern.OptimizerSteps.Implementation;
import dev.pitwall.trace.pattern.OptimizerSteps.OptimizerStep;
import dev.pitwall.trace.pattern.RowList;
import java.util.List;

/// The optimizer updates parameter by parameter: several kernels for each.
final class OptimizerForLoopRule implements Rule {
  /// Fewer kernels a step are no loop worth changing.
  private static final int LEAST_KERNELS = 20;

  private static final String OPTIMIZERS = "https://docs.pytorch.org/docs/stable/optim.html";

  @Override
  public String id() {
    return "optimizer-for-loop";
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
      if (step.implementation() == Implementation.FOR_LOOP) {
        optimizer = step.optimizer();
        for (int row : step.deviceRows()) {
          kernels.add(row);
        }
      }
    }
    if (kernels.size() < LEAST_KERNELS * observation.stepCount()) {
      return Verdict.Clean.CLEAN;
    }
    int[] rows = kernels.toArray();
    Loss loss = Loss.of(observation, OptimizerCost.savedByFusing(observation, rows));
    return new Verdict.Fault(
        loss.finding(
            id(),
            String.format(
                "%s updates parameter by parameter: %,d kernels, %s a step.",
                optimizer,
                rows.length / observation.stepCount(),
                Loss.of(observation, Loss.nanos(observation, rows)).text()),
            "The for-loop implementation launches several small kernels for every parameter tensor;"
                + " each reads and writes the parameter or its state once more, and each costs a"
                + " launch.",
            OptimizerNotFusedRule.HAVE_FUSED.contains(optimizer)
                ? new Fix(
                    "Use the fused implementation (or foreach, the default on CUDA).",
                    "optimizer = torch.optim."
                        + optimizer
                        + "(model.parameters(), lr=lr, fused=True)",
                    OPTIMIZERS)
                : new Fix(
                    "Update all parameters with one call of each operation (torch._foreach_*), or"
                        + " take an optimizer of torch.optim that does.",
                    "torch._foreach_add_(parameters, updates, alpha=-lr)",
                    OPTIMIZERS),
            Loss.longest(observation, rows)));
  }
}
