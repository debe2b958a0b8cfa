package dev.pitwall.pass.kernel;

import dev.pitwall.hardware.AttentionShape;
import dev.pitwall.hardware.KernelCosts;
import dev.pitwall.hardware.MatmulShape;
import dev.pitwall.hardware.Precision;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Shapes;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.KernelClass;
import dev.pitwall.trace.pattern.KernelNames;
import dev.pitwall.trace.pattern.MatmulPrecision;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What each device row of a trace computes. A kernel's class comes from its name, its dimensions
/// from the operator that launched it. Not safe for concurrent use.
public final class KernelWorks {
  /// `is_causal` among the inputs of `scaled_dot_product_attention`.
  private static final int CAUSAL_INPUT = 5;

  private final TraceIndex index;
  private final OperatorInputs inputs;
  private final KernelNames kernelNames;
  private @Nullable Boolean anyCausal;

  public KernelWorks(TraceIndex index) {
    this.index = index;
    this.inputs = new OperatorInputs(index);
    this.kernelNames = new KernelNames(index.trace().names());
  }

  public OperatorInputs inputs() {
    return inputs;
  }

  /// The class of a kernel; copies are `COPY` and sets are `FILL`.
  public KernelClass classOf(int deviceRow) {
    return switch (index.trace().slices().category(deviceRow)) {
      case MEMCPY -> KernelClass.COPY;
      case MEMSET -> KernelClass.FILL;
      default -> kernelNames.classOf(index.trace().slices().nameId(deviceRow));
    };
  }

  /// The number format a kernel multiplies in; `BF16` where its name does not say.
  public Precision precisionOf(int deviceRow) {
    MatmulPrecision told = kernelNames.precisionOf(index.trace().slices().nameId(deviceRow));
    return switch (told) {
      case FP32, FP64 -> Precision.FP32;
      case TF32 -> Precision.TF32;
      case FP16 -> Precision.FP16;
      case FP8 -> Precision.FP8;
      case FP4 -> Precision.FP4;
      default -> {
        int operator = sizedOperator(deviceRow);
        yield operator != Slices.NONE && OperatorInputs.isFloat32(inputs.type(operator, 0))
            ? Precision.TF32
            : Precision.BF16;
      }
    };
  }

  /// The innermost operator around the launch of this device row whose inputs have recorded
  /// dimensions; [Slices#NONE] where there is none.
  public int sizedOperator(int deviceRow) {
    int operator = index.operatorOf(deviceRow);
    while (operator != Slices.NONE && !hasDimensions(operator)) {
      int parent = index.calls().parent(operator);
      operator = parent == Slices.NONE ? parent : index.calls().enclosing(parent, Category.CPU_OP);
    }
    return operator;
  }

  /// The work of a device row as recorded.
  public Work of(int deviceRow) {
    return of(deviceRow, precisionOf(deviceRow), Resizing.NONE);
  }

  /// The work of a device row in another number format (of products only) and with other
  /// dimensions.
  public Work of(int deviceRow, Precision precision, Resizing resizing) {
    int operator = sizedOperator(deviceRow);
    if (operator == Slices.NONE) {
      return new Work.Fixed();
    }
    return switch (classOf(deviceRow)) {
      case MATMUL -> matmul(deviceRow, operator, precision, resizing);
      case CONVOLUTION -> convolution(deviceRow, operator, precision, resizing);
      case ATTENTION -> attention(operator, resizing);
      case COMMUNICATION, OPTIMIZER -> new Work.Fixed();
      default -> stream(operator, resizing);
    };
  }

  /// How much longer a kernel would take: the cost model's time after over its time before.
  public double ratio(Work before, Work after, KernelCosts costs) {
    return before.equals(after) ? 1 : after.nanos(costs) / before.nanos(costs);
  }

  /// The attention that an operator computes, from the dimensions of its queries and keys.
  public AttentionShape attentionShape(long[] query, long[] key, boolean causal) {
    long headDimension = query[query.length - 1];
    boolean tokensSecond = query[1] > query[2];
    long queries = query[tokensSecond ? 1 : 2];
    long keys = key[tokensSecond ? 1 : 2];
    return new AttentionShape(
        Math.max(1, Shapes.elements(query) / (queries * headDimension)),
        queries,
        keys,
        headDimension,
        causal);
  }

  private boolean hasDimensions(int operator) {
    Shapes shapes = inputs.shapes(operator);
    for (List<long[]> tensors : shapes.inputs()) {
      for (long[] dimensions : tensors) {
        if (dimensions.length > 0) {
          return true;
        }
      }
    }
    return false;
  }

  private Work matmul(int deviceRow, int operator, Precision precision, Resizing resizing) {
    if (index.trace().name(deviceRow).contains("splitKreduce")) {
      return new Work.Fixed();
    }
    String name = index.trace().name(operator);
    if (name.contains("conv")) {
      return convolution(deviceRow, operator, precision, resizing);
    }
    int first =
        name.endsWith("addmm") || name.endsWith("addmm_") || name.contains("baddbmm") ? 1 : 0;
    Shapes shapes = inputs.shapes(operator);
    Shapes strides = inputs.strides(operator);
    long[] left = shapes.tensor(first);
    long[] right = shapes.tensor(first + 1);
    if (left.length < 2 || right.length < 2 || name.equals("aten::linear")) {
      return stream(operator, resizing);
    }
    boolean leftTransposed = isTransposed(strides.tensor(first));
    boolean rightTransposed = isTransposed(strides.tensor(first + 1));
    boolean matrices = left.length == 2;
    Resizing.Role leftRole =
        !matrices
            ? Resizing.Role.TENSOR
            : leftTransposed ? Resizing.Role.LEFT_TRANSPOSED : Resizing.Role.LEFT;
    long[] newLeft = resizing.resized(left, leftRole);
    long[] newRight = matrices ? right : resizing.resized(right, Resizing.Role.TENSOR);
    long k = newLeft[newLeft.length - 1];
    long rows = Shapes.elements(newLeft) / Math.max(1, k);
    long batch = newRight.length > 2 ? newLeft[0] : 1;
    long m = Math.max(1, rows / batch);
    long n = Math.max(1, newRight[newRight.length - 1]);
    boolean oddRows = isOdd(leftTransposed ? m : k) || isOdd(rightTransposed ? k : n) || isOdd(n);
    return new Work.Product(
        new MatmulShape(
            batch,
            m,
            n,
            Math.max(1, k),
            (leftTransposed ? 1 : 0) + (rightTransposed ? 0 : 1),
            oddRows),
        precision);
  }

  /// Vectors, of which a row has one element, are read in one piece.
  private static boolean isOdd(long rowLength) {
    return rowLength > 1 && rowLength % 2 == 1;
  }

  private Work convolution(int deviceRow, int operator, Precision precision, Resizing resizing) {
    Shapes shapes = inputs.shapes(operator);
    boolean backward = index.trace().name(operator).contains("backward");
    long[] input = resizing.resized(shapes.tensor(backward ? 1 : 0), Resizing.Role.TENSOR);
    long[] weight = shapes.tensor(backward ? 2 : 1);
    if (input.length < 3 || weight.length != input.length) {
      return stream(operator, resizing);
    }
    long outputPixels =
        backward
            ? pixels(resizing.resized(shapes.tensor(0), Resizing.Role.TENSOR))
            : Math.max(1, pixels(input) / stridesOf(operator));
    long k = Shapes.elements(weight) / Math.max(1, weight[0]);
    double elements =
        (double) Shapes.elements(input)
            + Shapes.elements(weight)
            + (double) outputPixels * weight[0];
    String kernel = index.trace().name(deviceRow);
    int strided = kernel.contains("wgrad") || kernel.contains("_nt_") ? 2 : 0;
    return new Work.Convolution(
        new MatmulShape(1, outputPixels, Math.max(1, weight[0]), Math.max(1, k), strided),
        elements,
        precision);
  }

  private long stridesOf(int operator) {
    List<String> values = inputs.values(operator);
    long product = 1;
    if (values.size() > 3) {
      for (String digits : values.get(3).split("[^0-9]+")) {
        if (!digits.isEmpty() && digits.length() < 4) {
          product *= Math.max(1, Long.parseLong(digits));
        }
      }
    }
    return product;
  }

  private static long pixels(long[] dimensions) {
    return dimensions.length < 3
        ? 1
        : Math.max(1, Shapes.elements(dimensions) / Math.max(1, dimensions[1]));
  }

  private Work attention(int operator, Resizing resizing) {
    boolean backward = index.trace().name(operator).contains("backward");
    Shapes shapes = inputs.shapes(operator);
    int first = backward ? 1 : 0;
    long[] query = shapes.tensor(first);
    long[] key = shapes.tensor(first + 1);
    if (query.length != 4 || key.length != 4) {
      return stream(operator, resizing);
    }
    return new Work.Attention(
        attentionShape(
            resizing.resized(query, Resizing.Role.TENSOR),
            resizing.resized(key, Resizing.Role.TENSOR),
            isCausal(operator)),
        backward);
  }

  /// Whether attention is masked causally, as its public operator was called. Backward operators do
  /// not say, so they follow the forward ones of the trace.
  private boolean isCausal(int operator) {
    int name = index.trace().names().find("aten::scaled_dot_product_attention");
    for (int at = operator; at != Slices.NONE && name >= 0; at = index.calls().parent(at)) {
      if (index.trace().slices().nameId(at) == name) {
        return isCausalCall(at);
      }
    }
    return anyCausalCall(name);
  }

  private boolean isCausalCall(int publicOperator) {
    List<String> values = inputs.values(publicOperator);
    return values.size() > CAUSAL_INPUT && values.get(CAUSAL_INPUT).equals("True");
  }

  private boolean anyCausalCall(int name) {
    if (anyCausal == null) {
      anyCausal = false;
      Slices slices = index.trace().slices();
      for (int row = 0; name >= 0 && row < slices.size() && !anyCausal; row++) {
        anyCausal = slices.nameId(row) == name && isCausalCall(row);
      }
    }
    return anyCausal;
  }

  private Work stream(int operator, Resizing resizing) {
    Shapes shapes = inputs.shapes(operator);
    double bytes = 0;
    double largest = 0;
    for (int input = 0; input < shapes.size(); input++) {
      List<long[]> tensors = shapes.inputs().get(input);
      String type = inputs.type(operator, input);
      int size =
          type.equals("TensorList") ? listElementBytes(operator) : OperatorInputs.bytesOf(type);
      for (long[] dimensions : tensors) {
        if (dimensions.length > 0) {
          double tensor =
              (double) Shapes.elements(resizing.resized(dimensions, Resizing.Role.TENSOR)) * size;
          bytes += tensor;
          largest = Math.max(largest, tensor);
        }
      }
      if (type.equals("TensorList")) {
        largest = Math.max(largest, bytes);
      }
    }
    return new Work.Stream(bytes + largest);
  }

  /// The recorder keeps no types of lists; their kernel names the width: `OpaqueType<2u>`.
  private int listElementBytes(int operator) {
    int row = firstDeviceRow(operator);
    return row != Slices.NONE && index.trace().name(row).contains("OpaqueType<2u>") ? 2 : 4;
  }

  private int firstDeviceRow(int operator) {
    Slices slices = index.trace().slices();
    int end = index.trace().endRow(slices.track(operator));
    for (int row = operator;
        row < end && slices.startNanos(row) < slices.endNanos(operator);
        row++) {
      if (index.launches().firstDeviceRow(row) != Slices.NONE) {
        return index.launches().firstDeviceRow(row);
      }
    }
    return Slices.NONE;
  }

  private static boolean isTransposed(long[] strides) {
    return strides.length >= 2 && strides[strides.length - 1] != 1;
  }
}
