package dev.pitwall.pass.fix;

import dev.pitwall.graph.EdgeKind;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.hardware.KernelCosts;
import dev.pitwall.pass.Pass;
import dev.pitwall.pass.PassContext;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.OptimizerSteps;
import dev.pitwall.trace.pattern.OptimizerSteps.Implementation;
import dev.pitwall.trace.pattern.OptimizerSteps.OptimizerStep;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Update all parameters together, one operation after the other (`foreach=True`).
///
/// ```
/// before  GPU  |mul p1|lerp p1|..|mul p2|lerp p2|..|mul p3|lerp p3|..      hundreds of launches
/// after   GPU  |mul p1..p48|mul p49..|lerp p1..p48|lerp p49..|             a few dozen
/// ```
///
/// The bytes stay the same. What goes is the fixed time of the small kernels and the host's time in
/// the loop; what comes is the lower memory rate of the multi-tensor kernels.
public final class OptimizerForLoop implements Pass {
  /// Tensors that one multi-tensor kernel can take (ATen `MultiTensorApply.cuh`, depth 3: 48).
  private static final int TENSORS_A_KERNEL = 48;

  @Override
  public String id() {
    return "optimizer-for-loop";
  }

  @Override
  public String summary() {
    return "update all parameters together: foreach=True in the optimizer";
  }

  @Override
  public Optional<String> obstacle(PassContext context, String argument) {
    if (context.has("optimizer-not-fused")) {
      return Optional.of("the optimizer is fused already after optimizer-not-fused");
    }
    for (OptimizerStep step : OptimizerSteps.find(context.index())) {
      if (step.implementation() == Implementation.FOR_LOOP) {
        return Optional.empty();
      }
    }
    return Optional.of("no optimizer updates its parameters one by one");
  }

  @Override
  public ExecutionGraph apply(PassContext context, ExecutionGraph graph, String argument) {
    GraphChange change = new GraphChange(graph);
    for (OptimizerStep step : OptimizerSteps.find(context.index())) {
      if (step.implementation() == Implementation.FOR_LOOP) {
        gather(context, change, step);
      }
    }
    return change.build();
  }

  private static void gather(PassContext context, GraphChange change, OptimizerStep step) {
    TraceIndex index = context.index();
    Map<String, List<Integer>> nodesByOperator = new LinkedHashMap<>();
    for (int row : step.deviceRows()) {
      int node = change.nodeOf(row);
      int operator = index.operatorOf(row);
      if (node >= 0 && operator != Slices.NONE) {
        nodesByOperator
            .computeIfAbsent(index.trace().name(operator), unseen -> new ArrayList<>())
            .add(node);
      }
    }
    int parameters = nodesByOperator.values().stream().mapToInt(List::size).min().orElse(0);
    double hostNanos =
        1e3
            * (KernelCosts.constant("foreach_host_fixed_us")
                + parameters * KernelCosts.constant("foreach_host_us_a_parameter"));
    int end = OptimizerHost.endRow(index, step);
    hostNanos = Math.min(hostNanos, change.hostNanos(step.firstRow(), end));
    int launch =
        change.replaceHostTime(step.firstRow(), end, hostNanos, "foreach optimizer on the host");
    boolean first = true;
    for (List<Integer> nodes : nodesByOperator.values()) {
      merge(context, change, nodes);
      if (first && launch >= 0) {
        change.edit().edge(launch, nodes.getFirst(), EdgeKind.LAUNCH, 0);
      }
      first = false;
    }
  }

  /// Makes one kernel of every 48, with the bytes of all.
  private static void merge(PassContext context, GraphChange change, List<Integer> nodes) {
    double fixed = context.costs().streamNanos(0);
    double moved = 0;
    for (int node : nodes) {
      moved += Math.max(0, change.edit().durationNanos(node) - fixed);
    }
    double slower =
        KernelCosts.constant("stream_share") / KernelCosts.constant("multi_tensor_share");
    int kernels = (nodes.size() + TENSORS_A_KERNEL - 1) / TENSORS_A_KERNEL;
    for (int i = 0; i < nodes.size(); i++) {
      if (i < kernels) {
        change.edit().setDurationNanos(nodes.get(i), Math.round(fixed + moved * slower / kernels));
      } else {
        change.edit().remove(nodes.get(i));
      }
    }
  }
}
