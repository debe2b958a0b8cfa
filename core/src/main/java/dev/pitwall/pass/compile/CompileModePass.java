package dev.pitwall.pass.compile;

import dev.pitwall.error.PitwallException;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.pass.Pass;
import dev.pitwall.pass.PassContext;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// Compile the model: `torch.compile(model, mode=...)`.
///
/// ```
/// before  CPU  |op|op|op|op|op|op|op|op|  backward ops |optimizer|
///         GPU   |k|k|mm|k|k|mm|k|k|        k k mm mm     optimizer
/// after   CPU  |guards|call|call|call|call| compiled bwd |optimizer|
///         GPU         |fused|mm|fused|mm|    fused mm     optimizer
/// ```
///
/// Library calls keep their measured kernels. Generated kernels cost their bytes over the memory,
/// the host pays for guards, for the wrapper of each region and for each launch, or for one graph
/// launch a region in the modes that record CUDA graphs. The optimizer and the accumulation of
/// gradients stay.
public final class CompileModePass implements Pass {
  public static final String ID = "compile";

  @Override
  public String id() {
    return ID;
  }

  @Override
  public String summary() {
    return "torch.compile the model: fused kernels, and a CUDA graph in the modes that record one";
  }

  @Override
  public String argumentForm() {
    return Arrays.stream(CompileMode.values())
        .map(CompileMode::spelling)
        .collect(Collectors.joining("|"));
  }

  @Override
  public List<String> candidateArguments(PassContext context) {
    return Arrays.stream(CompileMode.values()).map(CompileMode::spelling).toList();
  }

  @Override
  public Optional<String> obstacle(PassContext context, String argument) {
    if (CompileMode.named(mode(argument)).isEmpty()) {
      throw PitwallException.usage(
          "There is no mode '" + argument + "'; torch.compile knows " + argumentForm() + ".");
    }
    if (context.has("launch-bound")) {
      return Optional.of("a CUDA graph launches the model already after launch-bound");
    }
    TraceIndex index = context.index();
    if (index.launches().deviceRows() == 0) {
      return Optional.of("the trace has no device work");
    }
    if (isCompiled(index.trace())) {
      return Optional.of("the program of this trace is compiled already");
    }
    if (!index.trace().recording().recordsShapes()) {
      return Optional.of("fusion depends on shapes: record the trace with record_shapes=True");
    }
    return Optional.empty();
  }

  private static boolean isCompiled(Trace trace) {
    for (int name = 0; name < trace.names().size(); name++) {
      String text = trace.names().text(name);
      if (text.startsWith("Torch-Compiled Region") || text.startsWith("## Call CompiledFxGraph")) {
        return true;
      }
    }
    return false;
  }

  @Override
  public String usedArgument(String argument) {
    return mode(argument);
  }

  /// The mode that an argument names; none means `default`.
  private static String mode(String argument) {
    return argument.isEmpty() ? CompileMode.DEFAULT.spelling() : argument;
  }

  @Override
  public ExecutionGraph apply(PassContext context, ExecutionGraph graph, String argument) {
    CompileMode mode = CompileMode.named(mode(argument)).orElseThrow();
    CompileCosts costs = new CompileCosts(context.costs().gpu());
    RegionRewrite rewrite = new RegionRewrite(context.index(), graph, mode);
    for (TracedProgram program : new ProgramReader(context.index()).read()) {
      rewrite.replace(CompiledStep.of(program, costs));
    }
    return rewrite.build();
  }
}
