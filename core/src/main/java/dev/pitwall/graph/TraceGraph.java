package dev.pitwall.graph;

import dev.pitwall.trace.TraceIndex;

/// The execution graph of the steps of a trace, with what the trace says of each node and of the
/// moment its window opened.
///
/// @param graph the graph; its steps are the trace's steps in order
/// @param index the trace it was built from
/// @param windowStartNanos start of the first step, in the trace's time
/// @param startNanos measured start of each node, in the trace's time
/// @param unexplainedNanos by node, how much later it started than everything the graph knows would
///     have allowed; the replay reproduces it, and it is shown as unexplained
/// @param nodeOfRow first node made from each trace row, -1 where none was
/// @param orphanStartNanos by resource, starts of the device work launched before the window, in
///     the trace's time, ascending
/// @param orphanEndNanos by resource, end of the last of it, `Long.MIN_VALUE` where there is none
public record TraceGraph(
    ExecutionGraph graph,
    TraceIndex index,
    long windowStartNanos,
    long[] startNanos,
    long[] unexplainedNanos,
    int[] nodeOfRow,
    long[][] orphanStartNanos,
    long[] orphanEndNanos) {
  /// Label of the time between two recorded steps, which the recorder spends on itself.
  public static final String BETWEEN_STEPS = "between steps";

  /// Label of the thread that makes input batches, and of its nodes.
  public static final String INPUT = "input";

  /// Builds the graph of all steps of a trace.
  public static TraceGraph of(TraceIndex index) {
    return new TraceGraphBuilder(index).build();
  }

  /// Measured end of a node, in the trace's time.
  public long endNanos(int node) {
    return startNanos[node] + graph.durationNanos(node);
  }
}
