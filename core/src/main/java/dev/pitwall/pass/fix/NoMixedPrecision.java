package dev.pitwall.pass.fix;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.hardware.AttentionShape;
import dev.pitwall.hardware.KernelCosts;
import dev.pitwall.hardware.Precision;
import dev.pitwall.pass.Pass;
import dev.pitwall.pass.PassContext;
import dev.pitwall.pass.kernel.AutocastFlow;
import dev.pitwall.pass.kernel.KernelWorks;
import dev.pitwall.pass.kernel.OperatorInputs;
import dev.pitwall.pass.kernel.Resizing;
import dev.pitwall.pass.kernel.Work;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Shapes;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.KernelClass;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Run the model under `torch.autocast("cuda", dtype=torch.bfloat16)`.
///
/// ```
/// before  GPU  |tf32 gemm ......|gelu ....|norm|
/// after   GPU  |cast|bf16 gemm|gelu|norm|           and casts of the gradients on the way back
/// ```
///
/// [AutocastFlow] says which operators run in 16 bits. Products are scaled by the cost model's time
/// in bfloat16 over that in the format they ran in, pointwise kernels by their bytes, attention and
/// batch norm become the kernels PyTorch picks for 16 bits, and the casts that autocast adds are
/// put in.
public final class NoMixedPrecision implements Pass {
  @Override
  public String id() {
    return "no-mixed-precision";
  }

  @Override
  public String summary() {
    return "run the model under torch.autocast in bfloat16";
  }

  @Override
  public Optional<String> obstacle(PassContext context, String argument) {
    if (context.costs().gpu().bf16Flops() <= 0) {
      return Optional.of(context.costs().gpu().name() + " has no bfloat16 tensor cores");
    }
    double wide = 0;
    double narrow = 0;
    Slices slices = context.index().trace().slices();
    for (int row : slices.rows(Category.KERNEL)) {
      if (context.index().stepOf(row) >= 0 && isProduct(context, row)) {
        if (context.works().precisionOf(row).bytes() == 4) {
          wide += slices.durationNanos(row);
        } else {
          narrow += slices.durationNanos(row);
        }
      }
    }
    if (wide == 0) {
      return Optional.of("no matrix product runs in float32");
    }
    return wide < narrow
        ? Optional.of("most matrix products run in 16 bits already")
        : Optional.empty();
  }

  @Override
  public ExecutionGraph apply(PassContext context, ExecutionGraph graph, String argument) {
    return new Change(context, graph).build();
  }

  private static boolean isProduct(PassContext context, int row) {
    KernelClass kernelClass = context.works().classOf(row);
    return kernelClass == KernelClass.MATMUL || kernelClass == KernelClass.CONVOLUTION;
  }

  /// One application of the pass.
  private static final class Change {
    private final PassContext context;
    private final TraceIndex index;
    private final KernelWorks works;
    private final KernelCosts costs;
    private final ExecutionGraph graph;
    private final GraphChange change;
    private final AutocastFlow flow;
    private final Map<Integer, Long> normNanos = new HashMap<>();
    private final Set<AutocastFlow.Change> castForward =
        Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<AutocastFlow.Change> castBackward =
        Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Integer> attentionOperators = new HashSet<>();

    Change(PassContext context, ExecutionGraph graph) {
      this.context = context;
      this.graph = graph;
      index = context.index();
      works = context.works();
      costs = context.costs();
      change = new GraphChange(graph);
      flow = new AutocastFlow(index, works.inputs());
    }

    ExecutionGraph build() {
      for (int node = 0; node < graph.nodes(); node++) {
        if (isBatchNorm(graph.traceRow(node))) {
          normNanos.merge(
              works.sizedOperator(graph.traceRow(node)), graph.durationNanos(node), Long::sum);
        }
      }
      for (int node = 0; node < graph.nodes(); node++) {
        int row = graph.traceRow(node);
        if (row >= 0 && graph.kind(node) == NodeKind.KERNEL && !change.edit().isRemoved(node)) {
          AutocastFlow.Change what = flow.changeOf(row);
          rescale(node, row, what);
          insertCasts(node, row, what);
        }
      }
      return change.build();
    }

    private void rescale(int node, int row, AutocastFlow.Change what) {
      KernelClass kernelClass = works.classOf(row);
      if (kernelClass == KernelClass.ATTENTION && what.kind() == AutocastFlow.Kind.PRODUCT) {
        replaceAttention(row);
      } else if (isProduct(context, row)) {
        if (works.precisionOf(row).bytes() == 4) {
          change.scale(node, productRatio(row));
        }
      } else if (isBatchNorm(row)) {
        if (what.kind() == AutocastFlow.Kind.HALF) {
          change.scale(node, batchNormRatio(row));
        }
      } else if (movesHalf(row, kernelClass, what)) {
        change.scale(node, halfRatio(row, kernelClass));
      } else if (what.kind() == AutocastFlow.Kind.MIXED_SUM && !flow.isBackward(row)) {
        change.scale(
            node, costs.mixedAddNanos(what.elements()) / costs.streamNanos(12.0 * what.elements()));
      }
    }

    /// Whether a kernel would move half the bytes. Layout conversions are bound by elements, not by
    /// bytes; in a loss only the softmax runs in 16 bits; gradients of a product are summed in the
    /// type its input had.
    private boolean movesHalf(int row, KernelClass kernelClass, AutocastFlow.Change what) {
      return switch (what.kind()) {
        case HALF ->
            kernelClass != KernelClass.LAYOUT_CONVERSION
                && (what.widenedElements() == 0 || kernelClass == KernelClass.SOFTMAX);
        case PRODUCT ->
            flow.isBackward(row)
                && what.castInputElements() == 0
                && kernelClass == KernelClass.POINTWISE;
        default -> false;
      };
    }

    private double productRatio(int row) {
      boolean allowedTf32 = context.has("tf32-off");
      Precision before = allowedTf32 ? Precision.TF32 : works.precisionOf(row);
      return works.ratio(
          works.of(row, before, Resizing.NONE),
          works.of(row, Precision.BF16, Resizing.NONE),
          costs);
    }

    private double halfRatio(int row, KernelClass kernelClass) {
      if (!(works.of(row) instanceof Work.Stream(double bytes))) {
        return 1;
      }
      double before = costs.streamNanos(bytes);
      String kernel = index.trace().name(row);
      boolean special =
          kernelClass == KernelClass.POINTWISE
              && (kernel.contains("Gelu") || kernel.contains("silu") || kernel.contains("tanh"));
      double elements = bytes / 4 / (flow.isBackward(row) ? 3 : 2);
      double after =
          special ? costs.specialFunctionNanos(elements, bytes / 2) : costs.streamNanos(bytes / 2);
      return Math.min(1, after / before);
    }

    private boolean isBatchNorm(int row) {
      if (row < 0
          || !index.trace().slices().category(row).isDeviceWork()
          || works.classOf(row) != KernelClass.NORMALIZATION) {
        return false;
      }
      int operator = works.sizedOperator(row);
      return operator != Slices.NONE && index.trace().name(operator).contains("batch_norm");
    }

    /// The 16-bit batch norm with float32 statistics that autocast runs is PyTorch's own.
    private double batchNormRatio(int row) {
      int operator = works.sizedOperator(row);
      OperatorInputs inputs = works.inputs();
      long[] dimensions = inputs.shapes(operator).tensor(0);
      if (dimensions.length < 2) {
        return 1;
      }
      boolean backward = index.trace().name(operator).contains("backward");
      double after =
          costs.batchNormNanos(
              2.0 * Shapes.elements(dimensions),
              dimensions[1],
              !ChannelsLast.isChannelsFirst(inputs, operator),
              backward);
      return after / Math.max(1, normNanos.getOrDefault(operator, 1L));
    }

    /// All kernels of a float32 attention operator become one flash kernel.
    private void replaceAttention(int row) {
      int call = index.launches().launchOf(row);
      int outer = index.calls().outermost(call, Category.CPU_OP);
      if (!attentionOperators.add(outer)
          || !(works.of(row) instanceof Work.Attention(AttentionShape shape, boolean backward))) {
        return;
      }
      Slices slices = index.trace().slices();
      int end = index.trace().endRow(slices.track(outer));
      for (int at = outer; at < end && slices.startNanos(at) < slices.endNanos(outer); at++) {
        for (int device = index.launches().firstDeviceRow(at);
            device != Slices.NONE;
            device = index.launches().nextDeviceRow(device)) {
          int node = change.nodeOf(device);
          if (node >= 0 && device == row) {
            double nanos =
                backward ? costs.attentionBackwardNanos(shape) : costs.attentionForwardNanos(shape);
            change.edit().setDurationNanos(node, Math.round(nanos));
          } else if (node >= 0) {
            change.edit().remove(node);
          }
        }
      }
    }

    /// Casts around an operator, put in once, at its first kernel.
    private void insertCasts(int node, int row, AutocastFlow.Change what) {
      boolean backward = flow.isBackward(row);
      if (change.edit().isRemoved(node) || !(backward ? castBackward : castForward).add(what)) {
        return;
      }
      for (long elements : List.of(what.castParameterElements(), what.castInputElements())) {
        if (elements > 0) {
          insertCast(node, elements, backward);
        }
      }
      if (what.widenedElements() > 0) {
        insertCast(node, what.widenedElements(), !backward);
      }
      if (!backward && what.kind() == AutocastFlow.Kind.MIXED_SUM) {
        // The backward of a sum casts the gradient; it has no kernel of its own to put the cast at.
        insertCast(node, what.elements(), false);
      }
    }

    private void insertCast(int node, long elements, boolean toWider) {
      change.insertOperatorBefore(
          node,
          costs.castNanos(elements, toWider),
          toWider ? "cast to float32" : "cast to bfloat16");
    }
  }
}
