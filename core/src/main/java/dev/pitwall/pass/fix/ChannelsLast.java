package dev.pitwall.pass.fix;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.pass.Pass;
import dev.pitwall.pass.PassContext;
import dev.pitwall.pass.kernel.OperatorInputs;
import dev.pitwall.pass.kernel.Work;
import dev.pitwall.trace.Shapes;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.ChannelsFirstNorms;
import dev.pitwall.trace.pattern.KernelClass;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// Keep images with their channels last in memory (`memory_format=torch.channels_last`), as tensor
/// core convolutions want them.
///
/// ```
/// before  GPU  |to NHWC|conv|to NCHW|batch norm, one block a channel ....|relu|
/// after   GPU  |conv|batch norm|relu|
/// ```
///
/// Layout conversions go, batch norm is scaled to the cost of its channels-last kernels, and the
/// input batch is converted once.
public final class ChannelsLast implements Pass {
  /// Kernels for compute capability 8.0 by cuDNN's and CUTLASS's names.
  private static final Pattern OLDER_GENERATION = Pattern.compile("cutlass_80|sm80_");

  @Override
  public String id() {
    return "channels-last";
  }

  @Override
  public List<String> otherIds() {
    return List.of("channels-first");
  }

  @Override
  public String summary() {
    return "store images and convolution weights channels last (memory_format=torch.channels_last)";
  }

  @Override
  public Optional<String> obstacle(PassContext context, String argument) {
    if (context.has(id())) {
      return Optional.of("images are channels last already after the same fix");
    }
    if (ChannelsFirstNorms.any(context.index())) {
      return Optional.of(
          "group norm and instance norm hand channels-first tensors on, which every convolution"
              + " after them would convert again");
    }
    boolean convolutions = false;
    for (int row : context.index().trace().slices().deviceRows()) {
      if (context.index().stepOf(row) >= 0) {
        if (isConversion(context, row) || isChannelsFirstBatchNorm(context, row)) {
          return Optional.empty();
        }
        convolutions |= context.works().classOf(row) == KernelClass.CONVOLUTION;
      }
    }
    return Optional.of(
        convolutions
            ? "the convolutions run channels last already: no layout is converted"
            : "the trace has no convolutions");
  }

  @Override
  public ExecutionGraph apply(PassContext context, ExecutionGraph graph, String argument) {
    GraphChange change = new GraphChange(graph);
    Map<Integer, Long> normNanos = new HashMap<>();
    for (int node = 0; node < graph.nodes(); node++) {
      int row = graph.traceRow(node);
      if (isChannelsFirstBatchNorm(context, row)) {
        normNanos.merge(context.works().sizedOperator(row), graph.durationNanos(node), Long::sum);
      }
    }
    Set<Integer> convertedSteps = new HashSet<>();
    for (int node = 0; node < graph.nodes(); node++) {
      int row = graph.traceRow(node);
      if (row < 0 || !graph.kind(node).isDeviceWork()) {
        continue;
      }
      if (isConversion(context, row)) {
        change.edit().remove(node);
      } else if (isChannelsFirstBatchNorm(context, row)) {
        int operator = context.works().sizedOperator(row);
        double after = channelsLastNanos(context, operator);
        change.scale(node, Math.min(1, after / normNanos.getOrDefault(operator, 1L)));
      } else if (isConvolution(context.index().trace(), context.index(), row)) {
        limitToModel(context, change, node, row);
        if (convertedSteps.add(graph.step(node))) {
          change.insertOperatorBefore(node, inputCopyNanos(context, row), "input to channels last");
        }
      }
    }
    return change.build();
  }

  /// With channels first some convolutions fall back to kernels of an older generation; channels
  /// last they take no longer than the cost model gives them.
  private static void limitToModel(PassContext context, GraphChange change, int node, int row) {
    if (context.works().of(row) instanceof Work.Convolution work
        && OLDER_GENERATION.matcher(context.index().trace().name(row)).find()
        && context.costs().gpu().architecture().startsWith("9.")) {
      double model = work.nanos(context.costs());
      change
          .edit()
          .setDurationNanos(node, Math.min(change.edit().durationNanos(node), Math.round(model)));
    }
  }

  private static boolean isConversion(PassContext context, int row) {
    return row >= 0
        && context.index().trace().slices().category(row).isDeviceWork()
        && context.works().classOf(row) == KernelClass.LAYOUT_CONVERSION
        && !context.index().trace().name(row).contains("AddPadding");
  }

  private static boolean isConvolution(Trace trace, TraceIndex index, int row) {
    int operator = index.operatorOf(row);
    return operator != Slices.NONE && trace.name(operator).contains("conv");
  }

  private static boolean isChannelsFirstBatchNorm(PassContext context, int row) {
    if (row < 0
        || !context.index().trace().slices().category(row).isDeviceWork()
        || context.works().classOf(row) != KernelClass.NORMALIZATION) {
      return false;
    }
    int operator = context.works().sizedOperator(row);
    if (operator == Slices.NONE
        || !context.index().trace().name(operator).contains("batch_norm")
        || context.index().trace().name(row).contains("channels_last")) {
      return false;
    }
    return isChannelsFirst(context.works().inputs(), operator);
  }

  static boolean isChannelsFirst(OperatorInputs inputs, int operator) {
    long[] dimensions = inputs.shapes(operator).tensor(0);
    long[] strides = inputs.strides(operator).tensor(0);
    return dimensions.length == 4
        && strides.length == 4
        && strides[1] != 1
        && dimensions[2] * dimensions[3] > 1;
  }

  private static double channelsLastNanos(PassContext context, int operator) {
    OperatorInputs inputs = context.works().inputs();
    long[] dimensions = inputs.shapes(operator).tensor(0);
    double bytes =
        (double) Shapes.elements(dimensions) * OperatorInputs.bytesOf(inputs.type(operator, 0));
    boolean backward = context.index().trace().name(operator).contains("backward");
    return context.costs().batchNormNanos(bytes, dimensions[1], true, backward);
  }

  private static double inputCopyNanos(PassContext context, int row) {
    int operator = context.works().sizedOperator(row);
    OperatorInputs inputs = context.works().inputs();
    double bytes =
        operator == Slices.NONE
            ? 0
            : (double) Shapes.elements(inputs.shapes(operator).tensor(0))
                * OperatorInputs.bytesOf(inputs.type(operator, 0));
    return context.costs().streamNanos(2 * bytes);
  }
}
