package dev.pitwall.pass.kernel;

/// Dimensions that tensors would have after a change of the workload.
@FunctionalInterface
public interface Resizing {
  /// The program as recorded.
  Resizing NONE = (dimensions, role) -> dimensions;

  /// What a tensor is to its operator, where its dimensions alone do not tell.
  enum Role {
    TENSOR,
    /// The left matrix of a product: activations or their gradients, never a parameter.
    LEFT,
    /// The same as a transposed view: the inner dimension comes last and counts samples.
    LEFT_TRANSPOSED
  }

  /// The dimensions after the change; the array given where nothing changes.
  long[] resized(long[] dimensions, Role role);
}
