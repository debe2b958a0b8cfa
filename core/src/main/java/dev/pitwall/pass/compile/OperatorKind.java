package dev.pitwall.pass.compile;

/// How Inductor lowers an operator, as far as scheduling asks.
public enum OperatorKind {
  /// One output element from the elements at the same place.
  POINTWISE,
  /// Pointwise with a Boolean result.
  COMPARE,
  /// Writes without reading a tensor.
  FILL,
  /// Copies, perhaps into another type.
  CAST,
  /// Reads at places that data decides.
  GATHER,
  /// Writes at places that data decides; needs its output filled before.
  SCATTER,
  /// Reduces each row and goes over it once more: layer norm, RMS norm.
  NORMALIZATION,
  NORMALIZATION_BACKWARD,
  /// Reduces over all but the channels, then goes over everything.
  BATCH_NORM,
  BATCH_NORM_BACKWARD,
  SOFTMAX,
  SOFTMAX_BACKWARD,
  REDUCTION,
  /// Negative log likelihood: one element of each row, then a sum.
  LOSS,
  /// Pooling and interpolation: a kernel of its own.
  WINDOW,
  /// A library's kernel: nothing fuses with it in default mode.
  EXTERN,
  /// The host waits for a value: a graph break.
  SYNC
}
