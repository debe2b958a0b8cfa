package dev.pitwall.pass.fix;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.pass.Pass;
import dev.pitwall.pass.PassContext;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.GradientFills;
import java.util.Optional;

/// Drop gradients instead of filling them with zeros (`zero_grad(set_to_none=True)`), so that the
/// backward stores them instead of adding to zeros.
///
/// ```
/// before  GPU  |fill 0|fill 0| ... |backward kernel|add to gradient|
/// after   GPU                      |backward kernel|
/// ```
public final class ZeroGradFill implements Pass {
  @Override
  public String id() {
    return "zero-grad-fill";
  }

  @Override
  public String summary() {
    return "drop gradients (zero_grad(set_to_none=True)) instead of filling them with zeros";
  }

  @Override
  public Optional<String> obstacle(PassContext context, String argument) {
    return GradientFills.findFills(context.index()).length > 0
        ? Optional.empty()
        : Optional.of("no step fills gradients with zeros");
  }

  @Override
  public ExecutionGraph apply(PassContext context, ExecutionGraph graph, String argument) {
    TraceIndex index = context.index();
    Trace trace = index.trace();
    // With one fill and one addition for each parameter every addition meets a zero; with gradient
    // accumulation there are more, and only as many as there are fills could be spared.
    boolean additionsSpared = !accumulates(index);
    CallRegion gone =
        CallRegion.of(
            index,
            row ->
                isFillOperator(index, row)
                    || (additionsSpared && isGradientAddition(trace, index, row)));
    GraphChange change = new GraphChange(graph);
    change.removeRows(gone::contains);
    return change.build();
  }

  private static boolean isFillOperator(TraceIndex index, int row) {
    int parent = index.calls().parent(row);
    return index.trace().slices().category(row) == Category.CPU_OP
        && parent != Slices.NONE
        && index.trace().name(parent).startsWith("Optimizer.zero_grad#");
  }

  private static boolean isGradientAddition(Trace trace, TraceIndex index, int row) {
    int parent = index.calls().parent(row);
    return parent != Slices.NONE
        && trace.slices().category(row) == Category.CPU_OP
        && trace.name(row).equals("aten::add_")
        && trace.name(parent).equals("torch::autograd::AccumulateGrad");
  }

  private static boolean accumulates(TraceIndex index) {
    int backwards = 0;
    int clears = 0;
    Trace trace = index.trace();
    for (int row = 0; row < trace.slices().size(); row++) {
      if (index.stepOf(row) >= 0 && !trace.slices().category(row).isDeviceWork()) {
        String name = trace.name(row);
        if (name.equals("aten::ones_like")
            && index.calls().parent(row) != Slices.NONE
            && !trace.name(index.calls().parent(row)).startsWith("aten::")) {
          backwards++;
        } else if (name.startsWith("Optimizer.zero_grad#")) {
          clears++;
        }
      }
    }
    return clears > 0 && backwards > clears;
  }
}
