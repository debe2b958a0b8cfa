package dev.pitwall.trace.pattern;

import dev.pitwall.trace.CallTree;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.OperatorDetails;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;

/// Forward work done again during backward: activation checkpointing
/// (`torch.utils.checkpoint`).
///
/// Recognized by autograd's numbering: a backward node carries the id of its forward thread; an
/// operator inside it that records a *new* sequence number of its own is building a forward graph
/// again. A plain backward records none.
public final class Recomputations {
  private Recomputations() {}

  /// Device rows of recomputed forward work inside steps.
  public static int[] find(TraceIndex index) {
    RowList rows = new RowList();
    for (int row : index.trace().slices().deviceRows()) {
      if (index.stepOf(row) >= 0 && isRecomputed(index, index.launches().launchOf(row))) {
        rows.add(row);
      }
    }
    return rows.toArray();
  }

  private static boolean isRecomputed(TraceIndex index, int call) {
    Slices slices = index.trace().slices();
    OperatorDetails operators = slices.operators();
    CallTree calls = index.calls();
    boolean insideForward = false;
    for (int at = call; at != Slices.NONE; at = calls.parent(at)) {
      int detail = slices.category(at) == Category.CPU_OP ? slices.operatorDetail(at) : Slices.NONE;
      if (detail == Slices.NONE || operators.sequenceNumber(detail) < 0) {
        continue;
      }
      if (operators.forwardThread(detail) > 0) {
        return insideForward;
      }
      insideForward = true;
    }
    return false;
  }
}
