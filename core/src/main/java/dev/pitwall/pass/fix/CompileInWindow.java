package dev.pitwall.pass.fix;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.pass.Pass;
import dev.pitwall.pass.PassContext;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import java.util.List;
import java.util.Optional;

/// Compile before training, not during it: no `torch.compile` inside a step, whether for the first
/// call or again after a changed shape.
///
/// ```
/// before  CPU  |call|compile ...........................|launch|
/// after   CPU  |call|launch|
/// ```
public final class CompileInWindow implements Pass {
  @Override
  public String id() {
    return "compile-in-window";
  }

  @Override
  public List<String> otherIds() {
    return List.of("recompile");
  }

  @Override
  public String summary() {
    return "let nothing be compiled again inside a step (stable shapes, mark_dynamic, warm-up)";
  }

  @Override
  public Optional<String> obstacle(PassContext context, String argument) {
    TraceIndex index = context.index();
    for (int row = 0; row < index.trace().slices().size(); row++) {
      if (isCompilation(index, row) && index.stepOf(row) >= 0) {
        return Optional.empty();
      }
    }
    return Optional.of("nothing is compiled inside a step");
  }

  @Override
  public ExecutionGraph apply(PassContext context, ExecutionGraph graph, String argument) {
    TraceIndex index = context.index();
    CallRegion compilations = CallRegion.of(index, row -> isCompilation(index, row));
    GraphChange change = new GraphChange(graph);
    change.removeRows(compilations::contains);
    return change.build();
  }

  private static boolean isCompilation(TraceIndex index, int row) {
    Slices slices = index.trace().slices();
    if (slices.category(row) != Category.CPU_OP
        && slices.category(row) != Category.USER_ANNOTATION) {
      return false;
    }
    String name = index.trace().name(row);
    return name.endsWith("(dynamo_timed)") || name.startsWith("_compile.compile_inner");
  }
}
