package dev.pitwall.pass.fix;

import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import java.util.BitSet;
import java.util.function.IntPredicate;

/// Rows of a trace that belong to chosen calls: the calls, everything they enclose on their thread,
/// and the device work launched from there.
final class CallRegion {
  private final BitSet rows;

  private CallRegion(BitSet rows) {
    this.rows = rows;
  }

  /// The region of the calls that satisfy a condition.
  static CallRegion of(TraceIndex index, IntPredicate isRoot) {
    Slices slices = index.trace().slices();
    BitSet rows = new BitSet(slices.size());
    // A parent stands before its children.
    for (int row = 0; row < slices.size(); row++) {
      int parent = index.calls().parent(row);
      if ((parent != Slices.NONE && rows.get(parent)) || isRoot.test(row)) {
        rows.set(row);
      }
    }
    for (int row : slices.deviceRows()) {
      int launch = index.launches().launchOf(row);
      if (launch != Slices.NONE && rows.get(launch)) {
        rows.set(row);
      }
    }
    return new CallRegion(rows);
  }

  /// The region of these calls.
  static CallRegion of(TraceIndex index, int[] roots) {
    BitSet chosen = new BitSet();
    for (int root : roots) {
      chosen.set(root);
    }
    return of(index, chosen::get);
  }

  boolean contains(int row) {
    return row >= 0 && rows.get(row);
  }

  boolean isEmpty() {
    return rows.isEmpty();
  }
}
