package dev.pitwall.pass.kernel;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Shapes;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.OptimizerPart;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Which operators of a float32 program would run in 16 bits under `torch.autocast`, and which
/// casts it would add.
///
/// Follows the forward operators in order and applies autocast's lists: products, convolutions and
/// attention in 16 bits with their float32 inputs cast; norms, softmax and losses in float32;
/// everything else in the type of its inputs, the wider where they differ. Recordings do not name
/// tensors, so the type of an input is that of the last result with as many elements; the residual
/// stream is told apart as the last sum.
public final class AutocastFlow {
  /// What autocast does to one operator.
  ///
  /// @param kind how its kernels change
  /// @param castParameterElements elements of parameters it casts to 16 bits
  /// @param castInputElements elements of activations it casts to 16 bits
  /// @param widenedElements elements of 16-bit results it casts back to float32
  /// @param elements elements of its result or of its largest input
  public record Change(
      Kind kind,
      long castParameterElements,
      long castInputElements,
      long widenedElements,
      long elements) {}

  /// How the kernels of an operator change.
  public enum Kind {
    /// Float32 as before.
    SAME,
    /// A product, convolution or fused attention in 16 bits.
    PRODUCT,
    /// Half the bytes.
    HALF,
    /// A sum of a float32 and a 16-bit tensor.
    MIXED_SUM
  }

  private static final Set<String> FLOAT32 =
      Set.of(
          "aten::layer_norm",
          "aten::rms_norm",
          "aten::group_norm",
          "aten::softmax",
          "aten::log_softmax",
          "aten::nll_loss",
          "aten::nll_loss_nd",
          "aten::mse_loss",
          "aten::sum",
          "aten::mean",
          "aten::prod",
          "aten::exp",
          "aten::log",
          "aten::pow",
          "aten::norm",
          "aten::cumsum",
          "aten::embedding");

  private static final Set<String> LOSSES =
      Set.of("aten::cross_entropy_loss", "aten::cross_entropy");

  private static final Set<String> PRODUCTS =
      Set.of(
          "aten::linear",
          "aten::matmul",
          "aten::mm",
          "aten::bmm",
          "aten::addmm",
          "aten::baddbmm",
          "aten::conv1d",
          "aten::conv2d",
          "aten::conv3d",
          "aten::convolution",
          "aten::einsum");

  private static final String ATTENTION = "aten::scaled_dot_product_attention";

  private static final Set<String> SUMS =
      Set.of("aten::add", "aten::add_", "aten::sub", "aten::mul", "aten::div");

  private final TraceIndex index;
  private final OperatorInputs inputs;
  private final Set<String> parameters = new HashSet<>();
  private final Map<Integer, Change> changes = new HashMap<>();
  private final Map<Long, Change> changeOfSequence = new HashMap<>();

  /// By number of elements: whether the last result is in 16 bits, and the last sum.
  private final Map<Long, Boolean> last16 = new HashMap<>();

  private final Map<Long, Boolean> lastSum16 = new HashMap<>();

  public AutocastFlow(TraceIndex index, OperatorInputs inputs) {
    this.index = index;
    this.inputs = inputs;
    collectParameters();
    followForward();
  }

  /// What happens to the operator, forward or backward, that launched this device row.
  public Change changeOf(int deviceRow) {
    int call = index.launches().launchOf(deviceRow);
    int outer = call == Slices.NONE ? Slices.NONE : index.calls().outermost(call, Category.CPU_OP);
    if (outer == Slices.NONE) {
      return new Change(Kind.SAME, 0, 0, 0, 0);
    }
    Change forward = changes.get(outer);
    if (forward != null) {
      return forward;
    }
    int detail = index.trace().slices().operatorDetail(outer);
    long sequence =
        detail == Slices.NONE ? -1 : index.trace().slices().operators().sequenceNumber(detail);
    Change backward = sequence < 0 ? null : changeOfSequence.get(sequence);
    return backward == null ? new Change(Kind.SAME, 0, 0, 0, 0) : backward;
  }

  /// Whether the outermost operator around this device row is a backward node.
  public boolean isBackward(int deviceRow) {
    int call = index.launches().launchOf(deviceRow);
    int outer = call == Slices.NONE ? Slices.NONE : index.calls().outermost(call, Category.CPU_OP);
    return outer != Slices.NONE && index.trace().name(outer).startsWith("autograd::");
  }

  private void collectParameters() {
    Trace trace = index.trace();
    int accumulate = trace.names().find("torch::autograd::AccumulateGrad");
    for (int row : trace.slices().rows(Category.CPU_OP)) {
      if (trace.slices().nameId(row) == accumulate) {
        parameters.add(Arrays.toString(inputs.shapes(row).tensor(0)));
      }
    }
  }

  private void followForward() {
    Trace trace = index.trace();
    OptimizerPart optimizer = OptimizerPart.of(index);
    for (int row : trace.slices().rows(Category.CPU_OP)) {
      if (index.stepOf(row) < 0) {
        continue;
      }
      int parent = index.calls().parent(row);
      boolean outermost =
          parent == Slices.NONE || index.calls().enclosing(parent, Category.CPU_OP) == Slices.NONE;
      if (outermost && !trace.name(row).startsWith("autograd::") && !optimizer.contains(row)) {
        follow(row, trace.name(row));
      }
    }
  }

  private void follow(int row, String name) {
    Shapes shapes = inputs.shapes(row);
    List<long[]> tensors = new ArrayList<>();
    for (int input = 0; input < shapes.size(); input++) {
      long[] dimensions = shapes.tensor(input);
      if (dimensions.length > 0 && OperatorInputs.isFloat32(inputs.type(row, input))) {
        tensors.add(dimensions);
      }
    }
    if (tensors.isEmpty()) {
      return;
    }
    long elements = Shapes.elements(tensors.getFirst());
    Change change;
    if (PRODUCTS.contains(name)) {
      change = product(tensors);
      last16.put(productElements(name, tensors), true);
    } else if (name.equals(ATTENTION)) {
      // Queries, keys and values are views of products, which are in 16 bits already.
      change = new Change(Kind.PRODUCT, 0, 0, 0, elements);
      last16.put(elements, true);
    } else if (LOSSES.contains(name)) {
      boolean is16 = is16(elements);
      change = new Change(is16 ? Kind.HALF : Kind.SAME, 0, 0, is16 ? elements : 0, elements);
    } else if (FLOAT32.contains(name)) {
      boolean is16 = is16(elements);
      change = new Change(Kind.SAME, 0, 0, is16 ? elements : 0, elements);
      last16.put(elements, false);
    } else if (SUMS.contains(name) && tensors.size() >= 2) {
      change = sum(tensors, elements);
    } else {
      boolean is16 = is16(elements);
      change = new Change(is16 ? Kind.HALF : Kind.SAME, 0, 0, 0, elements);
    }
    changes.put(row, change);
    rememberSequences(row, change);
  }

  private Change product(List<long[]> tensors) {
    long parameterElements = 0;
    long inputElements = 0;
    for (long[] dimensions : tensors) {
      long elements = Shapes.elements(dimensions);
      if (parameters.contains(Arrays.toString(dimensions))) {
        parameterElements += elements;
      } else if (!is16(elements)) {
        inputElements += elements;
      }
    }
    return new Change(
        Kind.PRODUCT, parameterElements, inputElements, 0, Shapes.elements(tensors.getFirst()));
  }

  private Change sum(List<long[]> tensors, long elements) {
    boolean newest16 = is16(elements);
    boolean residual16 = lastSum16.getOrDefault(elements, newest16);
    boolean both16 = newest16 && residual16;
    boolean sameSize = Shapes.elements(tensors.get(1)) == elements;
    Kind kind =
        both16 ? Kind.HALF : newest16 != residual16 && sameSize ? Kind.MIXED_SUM : Kind.SAME;
    last16.put(elements, both16);
    lastSum16.put(elements, both16);
    return new Change(kind, 0, 0, 0, elements);
  }

  private boolean is16(long elements) {
    return last16.getOrDefault(elements, false);
  }

  /// Elements of the result of a product.
  private static long productElements(String name, List<long[]> tensors) {
    long[] first = tensors.getFirst();
    long elements = Shapes.elements(first);
    if (tensors.size() < 2) {
      return elements;
    }
    long[] second = tensors.get(1);
    if (name.startsWith("aten::conv") && second.length > 1) {
      return elements / Math.max(1, first[1]) * second[0];
    }
    long inner = first[first.length - 1];
    long outer = name.equals("aten::linear") ? second[0] : second[second.length - 1];
    return elements / Math.max(1, inner) * outer;
  }

  private void rememberSequences(int row, Change change) {
    Slices slices = index.trace().slices();
    int end = index.trace().endRow(slices.track(row));
    for (int at = row; at < end && slices.startNanos(at) < slices.endNanos(row); at++) {
      int detail = slices.operatorDetail(at);
      long sequence = detail == Slices.NONE ? -1 : slices.operators().sequenceNumber(detail);
      if (sequence >= 0) {
        changeOfSequence.put(sequence, change);
      }
    }
  }
}
