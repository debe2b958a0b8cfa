package dev.pitwall.pass.fix;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.hardware.AttentionShape;
import dev.pitwall.pass.Pass;
import dev.pitwall.pass.PassContext;
import dev.pitwall.pass.kernel.BackwardNodes;
import dev.pitwall.pass.kernel.OperatorInputs;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Shapes;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.LaunchedWork;
import dev.pitwall.trace.pattern.RowList;
import dev.pitwall.trace.pattern.UnfusedAttention;
import java.util.Optional;
import java.util.Set;

/// Compute attention in one kernel (`scaled_dot_product_attention`) that never writes the scores.
///
/// ```
/// before  GPU  |q·k|scale|mask|cast|softmax|cast|·v|copy|     and as many again backward
/// after   GPU  |flash forward|                                |flash backward|
/// ```
///
/// The fused kernel reads and writes queries, keys, values and their gradients in the layout of the
/// products around it, so the copies between the two layouts go too.
public final class FuseAttention implements Pass {
  /// Sibling operators looked at before and after a region.
  private static final int VIEWS_AROUND = 16;

  private static final Set<String> VIEWS =
      Set.of(
          "aten::view",
          "aten::transpose",
          "aten::permute",
          "aten::split",
          "aten::split_with_sizes",
          "aten::chunk",
          "aten::unflatten",
          "aten::select",
          "aten::unbind",
          "aten::reshape",
          "aten::contiguous",
          "aten::expand",
          "aten::repeat_interleave");

  @Override
  public String id() {
    return "unfused-attention";
  }

  @Override
  public String summary() {
    return "compute attention with torch.nn.functional.scaled_dot_product_attention";
  }

  @Override
  public Optional<String> obstacle(PassContext context, String argument) {
    for (UnfusedAttention.Region region : UnfusedAttention.find(context.index())) {
      if (shapeOf(context, region).isPresent()) {
        return Optional.empty();
      }
    }
    return Optional.of(
        "no attention written as matmul, softmax, matmul with recorded dimensions was found");
  }

  @Override
  public ExecutionGraph apply(PassContext context, ExecutionGraph graph, String argument) {
    GraphChange change = new GraphChange(graph);
    BackwardNodes backwardNodes = new BackwardNodes(context.index());
    for (UnfusedAttention.Region region : UnfusedAttention.find(context.index())) {
      Optional<AttentionShape> shape = shapeOf(context, region);
      if (shape.isPresent()) {
        replace(context, change, region, shape.get());
        dropLayoutCopies(context, change, region, backwardNodes);
      }
    }
    return change.build();
  }

  private static void replace(
      PassContext context,
      GraphChange change,
      UnfusedAttention.Region region,
      AttentionShape shape) {
    TraceIndex index = context.index();
    Slices slices = index.trace().slices();
    int first = firstNode(change, region.forwardRows());
    if (first >= 0) {
      change.insertOperatorBefore(
          first, context.costs().attentionForwardNanos(shape), "flash attention forward");
      int end = index.trace().endRow(slices.track(region.firstOperator()));
      int last = region.lastOperator();
      while (last < end && slices.startNanos(last) < slices.endNanos(region.lastOperator())) {
        last++;
      }
      change.removeThreadSpan(index, region.firstOperator(), last);
    }
    int firstBackward = firstNode(change, region.backwardRows());
    if (firstBackward >= 0) {
      change.insertOperatorBefore(
          firstBackward, context.costs().attentionBackwardNanos(shape), "flash attention backward");
      CallRegion backward = CallRegion.of(index, backwardNodes(index, region.backwardRows()));
      change.removeRows(backward::contains);
    }
  }

  /// Copies between the layout of the products and that of the heads: after the region, and in the
  /// backward of the views before and after it.
  private static void dropLayoutCopies(
      PassContext context,
      GraphChange change,
      UnfusedAttention.Region region,
      BackwardNodes backwardNodes) {
    TraceIndex index = context.index();
    Slices slices = index.trace().slices();
    int parent = index.calls().parent(region.firstOperator());
    int from = region.firstOperator();
    int firstOfThread = index.trace().firstRow(slices.track(from));
    for (int seen = 0; from > firstOfThread && seen < VIEWS_AROUND; from--) {
      if (index.calls().parent(from - 1) == parent) {
        seen++;
        if (!isView(index.trace().name(from - 1))) {
          break;
        }
      }
    }
    int to = region.lastOperator();
    int endOfThread = index.trace().endRow(slices.track(to));
    int seen = 0;
    while (to < endOfThread && seen < VIEWS_AROUND) {
      if (index.calls().parent(to) == parent && to > region.lastOperator()) {
        seen++;
        if (!isView(index.trace().name(to))) {
          break;
        }
        dropCopiesUnder(context, change, to);
      }
      to++;
    }
    int step = index.stepOf(region.firstOperator());
    for (int[] views : new int[][] {{from, region.firstOperator()}, {region.lastOperator(), to}}) {
      for (int node : backwardNodes.of(step, views[0], views[1])) {
        dropCopiesUnder(context, change, node);
      }
    }
  }

  private static boolean isView(String operator) {
    return VIEWS.contains(operator);
  }

  /// Removes plain copies launched under an operator; a concatenation there becomes one of
  /// contiguous tensors, at the full memory rate.
  private static void dropCopiesUnder(PassContext context, GraphChange change, int operator) {
    TraceIndex index = context.index();
    RowList launched = new RowList();
    LaunchedWork.collect(index, operator, launched);
    for (int row : launched.toArray()) {
      int node = change.nodeOf(row);
      int inner = index.operatorOf(row);
      if (node < 0 || inner == Slices.NONE) {
        continue;
      }
      if (index.trace().name(inner).equals("aten::cat")) {
        double contiguous = context.works().of(row).nanos(context.costs());
        change
            .edit()
            .setDurationNanos(
                node, Math.min(change.edit().durationNanos(node), Math.round(contiguous)));
      } else if (index.trace().name(inner).equals("aten::copy_")) {
        change.edit().remove(node);
      }
    }
  }

  private static int firstNode(GraphChange change, int[] rows) {
    for (int row : rows) {
      int node = change.nodeOf(row);
      if (node >= 0) {
        return node;
      }
    }
    return -1;
  }

  private static int[] backwardNodes(TraceIndex index, int[] deviceRows) {
    int[] roots = new int[deviceRows.length];
    for (int i = 0; i < roots.length; i++) {
      roots[i] = index.calls().outermost(index.launches().launchOf(deviceRows[i]), Category.CPU_OP);
    }
    return roots;
  }

  /// Dimensions from the first product of the region: queries times transposed keys.
  private static Optional<AttentionShape> shapeOf(
      PassContext context, UnfusedAttention.Region region) {
    Trace trace = context.index().trace();
    OperatorInputs inputs = context.works().inputs();
    Shapes shapes = inputs.shapes(region.firstOperator());
    int first = trace.name(region.firstOperator()).contains("baddbmm") ? 1 : 0;
    long[] query = shapes.tensor(first);
    long[] keys = shapes.tensor(first + 1);
    if (query.length < 3 || keys.length != query.length) {
      return Optional.empty();
    }
    int last = query.length - 1;
    long heads = Shapes.elements(query) / Math.max(1, query[last] * query[last - 1]);
    return Optional.of(
        new AttentionShape(
            Math.max(1, heads), query[last - 1], keys[last], query[last], isMasked(trace, region)));
  }

  /// A causal mask is filled between the first product and the softmax.
  private static boolean isMasked(Trace trace, UnfusedAttention.Region region) {
    for (int row = region.firstOperator(); row < region.softmax(); row++) {
      String name = trace.name(row);
      if (name.startsWith("aten::masked_fill")
          || name.equals("aten::tril")
          || name.equals("aten::triu")) {
        return true;
      }
    }
    return false;
  }
}
