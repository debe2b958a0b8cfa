package dev.pitwall.trace.pattern;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;

/// Times in which the training thread waits for its next batch: PyTorch's annotation around
/// `DataLoader.__next__`.
public final class InputWaits {
  private static final String DATA_LOADER = "enumerate(DataLoader)#";

  private InputWaits() {}

  /// Rows of the waits, by track and start, whether or not they lie inside a step (a step's range
  /// often begins after its batch was fetched).
  public static int[] find(TraceIndex index) {
    Trace trace = index.trace();
    Slices slices = trace.slices();
    boolean[] isWait = new boolean[trace.names().size()];
    for (int id = 0; id < isWait.length; id++) {
      String name = trace.names().text(id);
      isWait[id] =
          name.startsWith(DATA_LOADER)
              || (name.startsWith("dataloader") && name.endsWith("next"))
              || name.startsWith("[pl][profile][_TrainingEpochLoop].train_dataloader_next");
    }
    RowList rows = new RowList();
    for (int row = 0; row < slices.size(); row++) {
      if (isWait[slices.nameId(row)]
          && (slices.category(row) == Category.USER_ANNOTATION
              || slices.category(row) == Category.CPU_OP)) {
        int parent = index.calls().parent(row);
        if (parent == Slices.NONE || !isWait[slices.nameId(parent)]) {
          rows.add(row);
        }
      }
    }
    return rows.toArray();
  }
}
