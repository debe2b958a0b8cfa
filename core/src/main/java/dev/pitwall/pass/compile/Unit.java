package dev.pitwall.pass.compile;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A kernel in the making, or a library call, while operators are scheduled.
final class Unit {
  final int number;
  final boolean isExtern;
  final List<TracedOperator> members = new ArrayList<>();

  /// Units that must run before this one.
  final BitSet ancestors = new BitSet();

  /// Bytes read from outside, by what is read; in the order of the program, so that a choice among
  /// them is the same in every run.
  final Map<Object, Long> reads = new LinkedHashMap<>();

  final List<Value> values = new ArrayList<>();

  /// What it is beside its members: a stage of one that stands elsewhere.
  String label = "";

  /// Position of its last operator in the eager program.
  int lastPosition;

  /// Elements of the loop; 0 until the first member.
  long elements;

  /// Elements behind one result of its reduction, 1 where it has none.
  long reduced = 1;

  boolean reducesRows = true;
  int kernels = 1;
  double specialFunctions;

  /// Nothing more joins, such as a scatter.
  boolean isClosed;

  /// A normalization's backward that also sums its columns: takes additions, no casts.
  boolean isMixedOrder;

  /// Eager sums that add the partial results of a mixed-order kernel up.
  int partialSums;

  /// Measured time to keep where no model applies, else 0.
  double keptNanos;

  /// Counts the read of a tensor from outside. Operands of one loop that have the same shape are
  /// told apart up to two: what a third would be was made by a loop and is recomputed from these.
  void readOutside(TensorShape shape) {
    Outside first = new Outside(shape, 0);
    reads.put(reads.containsKey(first) ? new Outside(shape, 1) : first, shape.bytes());
  }

  private record Outside(TensorShape shape, int ordinal) {}

  Unit(int number, boolean isExtern) {
    this.number = number;
    this.isExtern = isExtern;
  }

  boolean hasReduction() {
    return reduced > 1;
  }

  /// Whether a pointwise loop over this many elements can be part of it.
  boolean takesPointwise(long outputElements) {
    if (isExtern || isClosed) {
      return false;
    }
    if (outputElements == elements) {
      return !hasReduction() || reducesRows;
    }
    return hasReduction() && kernels == 1 && outputElements == elements / reduced;
  }

  /// Whether a reduction of this shape can be part of it.
  boolean takesReduction(long inputElements, long reducedElements, boolean rows) {
    return !isExtern
        && !isClosed
        && inputElements == elements
        && (!hasReduction() || reduced == reducedElements && reducesRows == rows);
  }
}
