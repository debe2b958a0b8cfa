package dev.pitwall.pass.compile;

import java.util.List;

/// The first output of an operator, which the recorder does not write, from its inputs and
/// literals.
final class OutputShapes {
  private final OperatorShapes shapes;

  OutputShapes(OperatorShapes shapes) {
    this.shapes = shapes;
  }

  TensorShape of(int row, String name, OperatorKind kind, List<TensorShape> inputs) {
    TensorShape first = firstTensor(inputs);
    return switch (kind) {
      case POINTWISE, FILL, WINDOW, LOSS, SYNC -> pointwise(row, name, inputs);
      case COMPARE -> new TensorShape(largest(inputs).dimensions(), 1);
      case CAST -> cast(row, name, inputs);
      case GATHER -> gather(name, inputs);
      case SCATTER -> first;
      case NORMALIZATION, SOFTMAX -> first;
      case BATCH_NORM -> first;
      case NORMALIZATION_BACKWARD, SOFTMAX_BACKWARD, BATCH_NORM_BACKWARD -> first;
      case REDUCTION -> reduced(row, first);
      case EXTERN -> library(row, name, inputs);
    };
  }

  private TensorShape pointwise(int row, String name, List<TensorShape> inputs) {
    TensorShape largest = largest(inputs);
    if (name.endsWith("arange")) {
      long[] end = shapes.integers(row, shapes.literal(row, 1).isEmpty() ? 0 : 1);
      return new TensorShape(end.length == 0 ? new long[] {1} : end, 8);
    }
    if (name.endsWith("::max_pool2d_with_indices")) {
      return shrunk(largest, 4);
    }
    if (name.endsWith("nll_loss_forward") || name.endsWith("nll_loss2d_forward")) {
      return new TensorShape(new long[0], largest.itemBytes());
    }
    if (name.endsWith("::cat")) {
      long elements = inputs.stream().mapToLong(OutputShapes::elementsOfAny).sum();
      return new TensorShape(new long[] {elements}, 2);
    }
    int itemBytes = name.endsWith("_backward") ? largest.itemBytes() : 0;
    for (TensorShape input : itemBytes > 0 ? List.<TensorShape>of() : inputs) {
      if (input.isTensor() && input.dimensions().length > 0) {
        itemBytes = Math.max(itemBytes, input.itemBytes());
      }
    }
    return new TensorShape(largest.dimensions(), Math.max(1, itemBytes));
  }

  private static long elementsOfAny(TensorShape shape) {
    return dev.pitwall.trace.Shapes.elements(shape.dimensions());
  }

  private TensorShape cast(int row, String name, List<TensorShape> inputs) {
    TensorShape first = firstTensor(inputs);
    if (name.endsWith("_to_copy")) {
      int itemBytes = OperatorShapes.itemBytesOfScalarType(shapes.literal(row, 1));
      return itemBytes == 0 ? first : new TensorShape(first.dimensions(), itemBytes);
    }
    return first;
  }

  private static TensorShape gather(String name, List<TensorShape> inputs) {
    TensorShape table = firstTensor(inputs);
    if (name.endsWith("::embedding") && inputs.size() > 1) {
      long[] places = inputs.get(1).dimensions();
      long[] dimensions = java.util.Arrays.copyOf(places, places.length + 1);
      dimensions[places.length] = table.last();
      return new TensorShape(dimensions, table.itemBytes());
    }
    for (int at = 1; at < inputs.size(); at++) {
      if (inputs.get(at).isTensor()) {
        return new TensorShape(inputs.get(at).dimensions(), table.itemBytes());
      }
    }
    return table;
  }

  private TensorShape reduced(int row, TensorShape input) {
    long[] reducedAxes = shapes.integers(row, 1);
    if (reducedAxes.length == 0) {
      return new TensorShape(new long[0], input.itemBytes());
    }
    long[] dimensions = input.dimensions().clone();
    for (long axis : reducedAxes) {
      int at = (int) (axis < 0 ? axis + dimensions.length : axis);
      if (at >= 0 && at < dimensions.length) {
        dimensions[at] = 1;
      }
    }
    return new TensorShape(dimensions, input.itemBytes());
  }

  private TensorShape library(int row, String name, List<TensorShape> inputs) {
    int first = name.contains("addmm") || name.contains("baddbmm") ? 1 : 0;
    TensorShape left = first < inputs.size() ? inputs.get(first) : TensorShape.NONE;
    TensorShape right = first + 1 < inputs.size() ? inputs.get(first + 1) : TensorShape.NONE;
    long[] a = left.dimensions();
    long[] b = right.dimensions();
    if ((name.endsWith("mm") || name.endsWith("mm_")) && a.length >= 2 && b.length >= 2) {
      long[] product = a.clone();
      product[product.length - 1] = b[b.length - 1];
      return new TensorShape(product, left.itemBytes());
    }
    if (name.endsWith("::convolution") || name.endsWith("::cudnn_convolution")) {
      return convolution(row, name, left, right);
    }
    return firstTensor(inputs);
  }

  private TensorShape convolution(int row, String name, TensorShape input, TensorShape weight) {
    // cudnn_convolution(input, weight, padding, stride, dilation, …) against
    // convolution(input, weight, bias, stride, padding, dilation, …)
    boolean cudnn = name.endsWith("::cudnn_convolution");
    long[] stride = shapes.integers(row, 3);
    long[] padding = shapes.integers(row, cudnn ? 2 : 4);
    long[] dilation = shapes.integers(row, cudnn ? 4 : 5);
    long[] dimensions = input.dimensions().clone();
    if (dimensions.length < 3 || weight.dimensions().length != dimensions.length) {
      return input;
    }
    dimensions[1] = weight.dimensions()[0];
    for (int axis = 2; axis < dimensions.length; axis++) {
      long kernel = weight.dimensions()[axis];
      long step = at(stride, axis - 2, 1);
      long reach = at(dilation, axis - 2, 1) * (kernel - 1);
      dimensions[axis] = (dimensions[axis] + 2 * at(padding, axis - 2, 0) - reach - 1) / step + 1;
    }
    return new TensorShape(dimensions, input.itemBytes());
  }

  private static long at(long[] numbers, int index, long fallback) {
    if (numbers.length == 0) {
      return fallback;
    }
    return numbers[Math.min(index, numbers.length - 1)];
  }

  private static TensorShape shrunk(TensorShape shape, long factor) {
    return new TensorShape(new long[] {Math.max(1, shape.elements() / factor)}, shape.itemBytes());
  }

  static TensorShape firstTensor(List<TensorShape> inputs) {
    for (TensorShape input : inputs) {
      if (input.isTensor() && input.dimensions().length > 0) {
        return input;
      }
    }
    return inputs.isEmpty() ? TensorShape.NONE : inputs.getFirst();
  }

  static TensorShape largest(List<TensorShape> inputs) {
    TensorShape largest = TensorShape.NONE;
    for (TensorShape input : inputs) {
      if (input.isTensor() && (!largest.isTensor() || input.elements() > largest.elements())) {
        largest = input;
      }
    }
    return largest;
  }
}
