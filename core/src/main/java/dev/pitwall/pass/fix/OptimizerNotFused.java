package dev.pitwall.pass.fix;

import dev.pitwall.graph.EdgeKind;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.hardware.KernelCosts;
import dev.pitwall.pass.Pass;
import dev.pitwall.pass.PassContext;
import dev.pitwall.table.DataTable;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.OptimizerSteps;
import dev.pitwall.trace.pattern.OptimizerSteps.Implementation;
import dev.pitwall.trace.pattern.OptimizerSteps.OptimizerStep;
import java.util.Optional;

/// Update all parameters in one kernel that reads and writes each value once (`fused=True`).
///
/// ```
/// before  GPU  |mul|lerp|mul|addcmul|sqrt|div|add|addcdiv|      80 bytes a parameter (AdamW)
/// after   GPU  |fused AdamW|                                    28 bytes a parameter
/// ```
///
/// The measured time is scaled by bytes over the memory rate of each kind of kernel; bytes by
/// optimizer stand in `optimizers.csv`.
public final class OptimizerNotFused implements Pass {
  private static final DataTable OPTIMIZERS =
      DataTable.resource("/dev/pitwall/pass/fix/optimizers.csv");

  @Override
  public String id() {
    return "optimizer-not-fused";
  }

  @Override
  public String summary() {
    return "update all parameters in one kernel: fused=True in the optimizer";
  }

  @Override
  public Optional<String> obstacle(PassContext context, String argument) {
    String why = "no optimizer step was recorded";
    for (OptimizerStep step : OptimizerSteps.find(context.index())) {
      if (step.implementation() == Implementation.FUSED) {
        why = "the optimizer is fused already";
      } else if (tableRow(step.optimizer()) < 0) {
        why = "PyTorch has no fused implementation of " + step.optimizer();
      } else if (step.implementation() == Implementation.OTHER) {
        why = "how the optimizer updates its parameters cannot be told from its operators";
      } else {
        return Optional.empty();
      }
    }
    return Optional.of(why);
  }

  @Override
  public ExecutionGraph apply(PassContext context, ExecutionGraph graph, String argument) {
    GraphChange change = new GraphChange(graph);
    for (OptimizerStep step : OptimizerSteps.find(context.index())) {
      boolean separate =
          step.implementation() == Implementation.FOREACH
              || step.implementation() == Implementation.FOR_LOOP;
      if (separate && tableRow(step.optimizer()) >= 0) {
        fuse(context, change, step);
      }
    }
    return change.build();
  }

  private static void fuse(PassContext context, GraphChange change, OptimizerStep step) {
    TraceIndex index = context.index();
    double moved = 0;
    int first = -1;
    for (int row : step.deviceRows()) {
      int node = change.nodeOf(row);
      if (node >= 0) {
        double fixed = context.costs().streamNanos(0);
        moved += Math.max(0, change.edit().durationNanos(node) - fixed);
        first = first < 0 ? node : first;
      }
    }
    if (first < 0) {
      return;
    }
    int tableRow = tableRow(step.optimizer());
    boolean forLoop =
        step.implementation() == Implementation.FOR_LOOP && !context.has("optimizer-for-loop");
    double shareBefore = KernelCosts.constant(forLoop ? "stream_share" : "multi_tensor_share");
    double ratio =
        OPTIMIZERS.number(tableRow, "fused_bytes", 28)
            / KernelCosts.constant("fused_optimizer_share")
            / (OPTIMIZERS.number(tableRow, "separate_bytes", 80) / shareBefore);
    int kernel =
        change.insertKernelBefore(
            first, context.costs().streamNanos(0) + moved * ratio, "fused " + step.optimizer());
    for (int row : step.deviceRows()) {
      int node = change.nodeOf(row);
      if (node >= 0) {
        change.edit().remove(node);
      }
    }
    double hostNanos =
        1e3
            * (KernelCosts.constant("fused_host_fixed_us")
                + OptimizerHost.parameters(index, step)
                    * KernelCosts.constant("fused_host_us_a_parameter"));
    int end = OptimizerHost.endRow(index, step);
    hostNanos = Math.min(hostNanos, change.hostNanos(step.firstRow(), end));
    int launch =
        change.replaceHostTime(step.firstRow(), end, hostNanos, "fused optimizer on the host");
    if (launch >= 0) {
      change.edit().edge(launch, kernel, EdgeKind.LAUNCH, 0);
    }
  }

  private static int tableRow(String optimizer) {
    for (int row = 0; row < OPTIMIZERS.rows(); row++) {
      if (OPTIMIZERS.text(row, "optimizer").equals(optimizer)) {
        return row;
      }
    }
    return -1;
  }
}
