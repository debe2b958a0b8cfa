package dev.pitwall.pass.fix;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.hardware.Precision;
import dev.pitwall.pass.Pass;
import dev.pitwall.pass.PassContext;
import dev.pitwall.pass.kernel.KernelWorks;
import dev.pitwall.pass.kernel.Resizing;
import dev.pitwall.pass.kernel.Work;
import dev.pitwall.trace.pattern.KernelClass;
import java.util.Optional;

/// Let products of single precision matrices run on tensor cores
/// (`torch.set_float32_matmul_precision("high")`).
///
/// ```
/// before  GPU  |sgemm ........................|add|sgemm ........................|
/// after   GPU  |tf32 gemm|add|tf32 gemm|
/// ```
///
/// Each product is scaled by the cost model's time in TF32 over its time in FP32, for its own
/// dimensions and layout.
public final class Tf32Off implements Pass {
  @Override
  public String id() {
    return "tf32-off";
  }

  @Override
  public String summary() {
    return "allow TF32 for float32 matrix products (torch.set_float32_matmul_precision('high'))";
  }

  @Override
  public Optional<String> obstacle(PassContext context, String argument) {
    if (context.costs().gpu().tf32Flops() <= 0) {
      return Optional.of(context.costs().gpu().name() + " has no TF32 tensor cores");
    }
    if (context.has("no-mixed-precision")) {
      return Optional.of("the products run in 16 bits after no-mixed-precision");
    }
    for (int row : context.index().trace().slices().deviceRows()) {
      if (isFullPrecisionProduct(context, row)) {
        return Optional.empty();
      }
    }
    return Optional.of("no matrix product runs in full float32");
  }

  @Override
  public ExecutionGraph apply(PassContext context, ExecutionGraph graph, String argument) {
    KernelWorks works = context.works();
    GraphChange change = new GraphChange(graph);
    for (int node = 0; node < graph.nodes(); node++) {
      int row = graph.traceRow(node);
      if (graph.kind(node).isDeviceWork() && isFullPrecisionProduct(context, row)) {
        Work before = works.of(row, Precision.FP32, Resizing.NONE);
        Work after = works.of(row, Precision.TF32, Resizing.NONE);
        change.scale(node, works.ratio(before, after, context.costs()));
      }
    }
    return change.build();
  }

  private static boolean isFullPrecisionProduct(PassContext context, int row) {
    if (row < 0 || !context.index().trace().slices().category(row).isDeviceWork()) {
      return false;
    }
    KernelClass kernelClass = context.works().classOf(row);
    return (kernelClass == KernelClass.MATMUL || kernelClass == KernelClass.CONVOLUTION)
        && context.works().precisionOf(row) == Precision.FP32;
  }
}
