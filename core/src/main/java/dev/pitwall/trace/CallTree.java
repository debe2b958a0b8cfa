package dev.pitwall.trace;

import java.util.Arrays;

/// Which slice encloses which on the CPU threads of a trace.
///
/// A slice's parent is the innermost slice of its track that is open when it starts. A child that
/// outlives its parent (recorders round; Python frames overhang) stays its child.
public final class CallTree {
  private final int[] parent;
  private final long[] childNanos;
  private final Slices slices;

  private CallTree(int[] parent, long[] childNanos, Slices slices) {
    this.parent = parent;
    this.childNanos = childNanos;
    this.slices = slices;
  }

  public static CallTree of(Trace trace) {
    Slices slices = trace.slices();
    int[] parent = new int[slices.size()];
    Arrays.fill(parent, Slices.NONE);
    long[] childNanos = new long[slices.size()];
    int[] open = new int[64];
    for (Track track : trace.tracks()) {
      if (track.kind() != Track.Kind.CPU_THREAD) {
        continue;
      }
      int depth = 0;
      for (int row = trace.firstRow(track.id()); row < trace.endRow(track.id()); row++) {
        long start = slices.startNanos(row);
        while (depth > 0 && slices.endNanos(open[depth - 1]) <= start) {
          depth--;
        }
        if (depth > 0) {
          int enclosing = open[depth - 1];
          parent[row] = enclosing;
          childNanos[enclosing] +=
              Math.min(slices.endNanos(row), slices.endNanos(enclosing)) - start;
        }
        if (depth == open.length) {
          open = Arrays.copyOf(open, depth * 2);
        }
        open[depth++] = row;
      }
    }
    return new CallTree(parent, childNanos, slices);
  }

  /// The innermost enclosing slice of a CPU slice; [Slices#NONE] at the top of a thread and for
  /// slices of other tracks.
  public int parent(int row) {
    return parent[row];
  }

  /// Time of a CPU slice not covered by its children.
  public long selfNanos(int row) {
    return Math.max(0, slices.durationNanos(row) - childNanos[row]);
  }

  /// The innermost slice of this category that encloses `row`, or is `row` itself; [Slices#NONE]
  /// where there is none.
  public int enclosing(int row, Category category) {
    int at = row;
    while (at != Slices.NONE && slices.category(at) != category) {
      at = parent[at];
    }
    return at;
  }

  /// The outermost slice of this category that encloses `row`, or is `row` itself; [Slices#NONE]
  /// where there is none.
  public int outermost(int row, Category category) {
    int found = Slices.NONE;
    for (int at = row; at != Slices.NONE; at = parent[at]) {
      if (slices.category(at) == category) {
        found = at;
      }
    }
    return found;
  }
}
