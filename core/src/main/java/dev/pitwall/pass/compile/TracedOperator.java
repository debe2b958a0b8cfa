package dev.pitwall.pass.compile;

import java.util.List;

/// An operator of the eager program that put work on the device.
///
/// @param row its slice in the trace
/// @param name such as `aten::native_layer_norm`
/// @param inputs its tensors in order; [TensorShape#NONE] for an input that is no tensor
/// @param output its first output
/// @param reducedElements elements that one output element is reduced from; 1 where none is
/// @param reducesRows whether the reduced dimensions are the innermost
/// @param isBackward whether it ran under autograd's backward
/// @param underBackwardOf name of the backward node it ran under, or empty
/// @param deviceRows its kernels, copies and sets
/// @param deviceNanos their time
/// @param sequence autograd's number, shared by forward and backward, -1 where absent
public record TracedOperator(
    int row,
    String name,
    OperatorKind kind,
    int specialFunctions,
    List<TensorShape> inputs,
    TensorShape output,
    long reducedElements,
    boolean reducesRows,
    boolean isBackward,
    String underBackwardOf,
    List<Integer> deviceRows,
    long deviceNanos,
    long sequence) {
  public TracedOperator {
    inputs = List.copyOf(inputs);
    deviceRows = List.copyOf(deviceRows);
  }

  /// The name without its namespace.
  String shortName() {
    int colon = name.lastIndexOf(':');
    return colon < 0 ? name : name.substring(colon + 1);
  }

  /// Bytes of the largest input.
  public long largestInputBytes() {
    return inputs.stream().mapToLong(TensorShape::bytes).max().orElse(0);
  }

  /// Bytes of the largest input but one.
  public long secondInputBytes() {
    long[] sizes = inputs.stream().mapToLong(TensorShape::bytes).sorted().toArray();
    return sizes.length < 2 ? 0 : sizes[sizes.length - 2];
  }

  public long outputBytes() {
    return output.bytes();
  }

  /// Whether its output has two dimensions, as the parameter of a linear layer.
  public boolean isMatrix() {
    return output.dimensions().length == 2;
  }

  TensorShape input(int at) {
    return at < inputs.size() ? inputs.get(at) : TensorShape.NONE;
  }
}
