package dev.pitwall.pass.compile;

import org.jspecify.annotations.Nullable;

/// An input of an operator: a value of its region, or a tensor from outside (null).
record Operand(TensorShape shape, @Nullable Value value) {
  /// The unit that makes it, null for a tensor from outside.
  @Nullable Unit producer() {
    return value == null ? null : value.producer;
  }

  /// Notes that a unit reads it.
  void markRead(int unit) {
    if (value != null) {
      value.readers.set(unit);
    }
  }
}
