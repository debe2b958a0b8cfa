package dev.pitwall.trace.pattern;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;

/// Calls of frames compiled by `torch.compile` (`Torch-Compiled Region: 1/0`), as the recorder
/// writes them since PyTorch 2.1.
public final class CompiledRegions {
  private static final String REGION = "Torch-Compiled Region";

  private CompiledRegions() {}

  /// Rows of all compiled calls inside steps, by track and start.
  public static int[] find(TraceIndex index) {
    Trace trace = index.trace();
    Slices slices = trace.slices();
    boolean[] isRegion = new boolean[trace.names().size()];
    for (int id = 0; id < isRegion.length; id++) {
      isRegion[id] = trace.names().text(id).startsWith(REGION);
    }
    RowList rows = new RowList();
    for (int row : slices.rows(Category.CPU_OP)) {
      if (isRegion[slices.nameId(row)] && index.stepOf(row) >= 0) {
        rows.add(row);
      }
    }
    return rows.toArray();
  }

  /// Of these calls, the rows that a compiled frame made itself: Dynamo broke the outer frame's
  /// graph and went on in a resume function (the rest of a function after a graph break is a frame
  /// of its own, called by the part before it).
  ///
  /// ```
  /// Torch-Compiled Region: 1/0 | graph | .item() | Torch-Compiled Region: 2/0 | graph |
  /// ```
  public static int[] findResumed(TraceIndex index, int[] regions) {
    Slices slices = index.trace().slices();
    RowList rows = new RowList();
    for (int row : regions) {
      int parent = index.calls().parent(row);
      while (parent != Slices.NONE) {
        if (slices.category(parent) == Category.CPU_OP
            && index.trace().name(parent).startsWith(REGION)) {
          rows.add(row);
          break;
        }
        parent = index.calls().parent(parent);
      }
    }
    return rows.toArray();
  }
}
