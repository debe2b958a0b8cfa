package dev.pitwall.pass.compile;

import java.util.BitSet;

/// A tensor made by an operator of the program.
///
/// The recorder gives no identities, so a reader finds its operand among the values by elements and
/// element size: the newest that nothing read yet, else the newest.
final class Value {
  final TensorShape shape;
  Unit producer;

  /// Units that read it; a loss counts as none, as it picks single elements.
  final BitSet readers = new BitSet();

  boolean isRead;

  /// Whether a library call reads it, so that it exists in memory.
  boolean isReadByExtern;

  Value(TensorShape shape, Unit producer) {
    this.shape = shape;
    this.producer = producer;
  }

  boolean fits(TensorShape wanted) {
    return shape.itemBytes() == wanted.itemBytes() && shape.elements() == wanted.elements();
  }
}
