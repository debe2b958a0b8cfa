package dev.pitwall.simulate;

import dev.pitwall.graph.EdgeKind;
import dev.pitwall.graph.ExecutionGraph;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The chain of nodes and waits that one repetition takes as long as it does, in order of time. The
/// pieces lie end to end, so they sum to the repetition exactly: 100 % of the step is attributed.
///
/// @param pieces the chain
/// @param startNanos end of the repetition before
/// @param endNanos end of the repetition
public record CriticalPath(List<Piece> pieces, long startNanos, long endNanos) {
  /// A stretch of the path.
  ///
  /// @param node the node that runs, or that waits
  /// @param waitsFor null where the node runs; else why it waits between its source and its start
  public record Piece(int node, @Nullable EdgeKind waitsFor, long startNanos, long endNanos) {
    public long nanos() {
      return endNanos - startNanos;
    }
  }

  public CriticalPath {
    pieces = List.copyOf(pieces);
  }

  /// The path through the last repetition of a replay.
  public static CriticalPath of(Replay replay) {
    ExecutionGraph graph = replay.graph();
    long from = replay.finishBeforeNanos();
    long time = replay.finishNanos();
    List<Piece> backwards = new ArrayList<>();
    int node = lastToEnd(replay);
    boolean runs = true;
    while (time > from) {
      if (runs) {
        time = addPiece(backwards, node, null, Math.max(from, replay.startNanos(node)), time);
      }
      int edge = replay.bindingEdge(node);
      EdgeKind kind = graph.edgeKind(edge);
      long ready = Math.max(from, replay.readyNanos(edge));
      time = addPiece(backwards, node, EdgeKind.QUEUE_FULL, ready, time);
      long sourceTime = Math.max(from, ready - graph.lagNanos(edge));
      time = addPiece(backwards, node, kind, sourceTime, time);
      node = graph.source(edge);
      runs = !kind.isAnchoredAtStart();
      if (graph.isCarried(edge)) {
        // Everything in the repetition before has ended by `from`.
        addPiece(backwards, node, kind, from, time);
        break;
      }
    }
    Collections.reverse(backwards);
    return new CriticalPath(backwards, from, replay.finishNanos());
  }

  /// Length of the path: the repetition.
  public long nanos() {
    return endNanos - startNanos;
  }

  private static int lastToEnd(Replay replay) {
    int last = -1;
    for (int node = 0; node < replay.graph().nodes(); node++) {
      if (last < 0 || replay.endNanos(node) > replay.endNanos(last)) {
        last = node;
      }
    }
    return last;
  }

  private static long addPiece(
      List<Piece> pieces, int node, @Nullable EdgeKind waitsFor, long from, long to) {
    if (from < to) {
      pieces.add(new Piece(node, waitsFor, from, to));
      return from;
    }
    return to;
  }
}
