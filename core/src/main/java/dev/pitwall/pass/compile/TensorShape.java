package dev.pitwall.pass.compile;

import dev.pitwall.trace.Shapes;
import java.util.Arrays;

/// Dimensions of a tensor and bytes of one element.
///
/// @param dimensions empty for a scalar
public record TensorShape(long[] dimensions, int itemBytes) {
  static final TensorShape NONE = new TensorShape(new long[0], 0);

  long elements() {
    return itemBytes == 0 ? 0 : Shapes.elements(dimensions);
  }

  long bytes() {
    return elements() * itemBytes;
  }

  /// This shape with an element size where the recorder gave none, as for the tensors of a list.
  TensorShape withItemBytes(int bytes) {
    return itemBytes > 0 || dimensions.length == 0 ? this : new TensorShape(dimensions, bytes);
  }

  boolean isTensor() {
    return itemBytes > 0;
  }

  long last() {
    return dimensions.length == 0 ? 1 : dimensions[dimensions.length - 1];
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TensorShape shape
        && itemBytes == shape.itemBytes
        && Arrays.equals(dimensions, shape.dimensions);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(dimensions) + itemBytes;
  }

  @Override
  public String toString() {
    return Arrays.toString(dimensions) + "x" + itemBytes;
  }
}
