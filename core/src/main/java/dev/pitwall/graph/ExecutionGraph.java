package dev.pitwall.graph;

import dev.pitwall.trace.Category;
import java.util.List;

/// The execution graph of one or several consecutive training steps, ready to repeat.
///
/// ```
///   thread  ─[segment]─[launch]─[segment]─[launch]─────[host wait]─   program order
///                         │ launch          │              ▲ host sync
///   stream  ──────────────[kernel]──────────[kernel]───────┘          stream order
/// ```
///
/// A node is a row number; nodes stand in an order in which every edge but the carried ones goes
/// from a lower to a higher number, so one pass over the rows simulates the graph. A node starts
/// when all its incoming edges allow it: at the end of the source (at its start for kinds [anchored
/// there][EdgeKind#isAnchoredAtStart]) plus the edge's lag, which may be negative. A *carried* edge
/// comes from the repetition of the graph before this one; in the first repetition it does not
/// bind. Times are nanoseconds. Immutable; [#edit] starts a changed copy.
public final class ExecutionGraph {
  final int steps;
  final int launchQueueDepth;
  final List<Resource> resources;
  final Labels labels;
  final byte[] kind;
  final byte[] category;
  final int[] resource;
  final long[] durationNanos;
  final int[] labelId;
  final int[] traceRow;
  final int[] step;
  final int[] firstIncoming;
  final int[] edgeSource;
  final byte[] edgeKind;
  final long[] edgeLagNanos;

  ExecutionGraph(
      int steps,
      int launchQueueDepth,
      List<Resource> resources,
      Labels labels,
      byte[] kind,
      byte[] category,
      int[] resource,
      long[] durationNanos,
      int[] labelId,
      int[] traceRow,
      int[] step,
      int[] firstIncoming,
      int[] edgeSource,
      byte[] edgeKind,
      long[] edgeLagNanos) {
    this.steps = steps;
    this.launchQueueDepth = launchQueueDepth;
    this.resources = List.copyOf(resources);
    this.labels = labels;
    this.kind = kind;
    this.category = category;
    this.resource = resource;
    this.durationNanos = durationNanos;
    this.labelId = labelId;
    this.traceRow = traceRow;
    this.step = step;
    this.firstIncoming = firstIncoming;
    this.edgeSource = edgeSource;
    this.edgeKind = edgeKind;
    this.edgeLagNanos = edgeLagNanos;
  }

  public int nodes() {
    return kind.length;
  }

  public int edges() {
    return edgeSource.length;
  }

  /// Training steps that the graph spans; a simulated repetition lasts this many steps.
  public int steps() {
    return steps;
  }

  /// How many launches a CPU thread may be ahead of a device before a launch blocks.
  public int launchQueueDepth() {
    return launchQueueDepth;
  }

  public List<Resource> resources() {
    return resources;
  }

  public NodeKind kind(int node) {
    return NodeKind.of(kind[node]);
  }

  /// The trace's category of the node, or the one its kind implies for a node made by hand.
  public Category category(int node) {
    return Category.of(category[node]);
  }

  /// Index in [#resources].
  public int resource(int node) {
    return resource[node];
  }

  public long durationNanos(int node) {
    return durationNanos[node];
  }

  /// Name of the slice the node was made from, or the label given by hand.
  public String label(int node) {
    return labels.text(labelId[node]);
  }

  /// Id of the label; equal ids are equal labels. In a graph built from a trace, ids of the trace's
  /// names are the same here.
  public int labelId(int node) {
    return labelId[node];
  }

  /// Id of a label text, or -1 where no node has it.
  public int findLabel(String text) {
    return labels.find(text);
  }

  /// Row of the slice in the trace, -1 where the node has none.
  public int traceRow(int node) {
    return traceRow[node];
  }

  /// Step of the graph that the node belongs to, from 0.
  public int step(int node) {
    return step[node];
  }

  /// First incoming edge of a node; its edges end before [#endIncoming].
  public int firstIncoming(int node) {
    return firstIncoming[node];
  }

  public int endIncoming(int node) {
    return firstIncoming[node + 1];
  }

  /// The node an edge comes from.
  public int source(int edge) {
    int source = edgeSource[edge];
    return source < 0 ? ~source : source;
  }

  /// Whether the edge's source is in the repetition before.
  public boolean isCarried(int edge) {
    return edgeSource[edge] < 0;
  }

  public EdgeKind edgeKind(int edge) {
    return EdgeKind.of(edgeKind[edge]);
  }

  public long lagNanos(int edge) {
    return edgeLagNanos[edge];
  }

  /// The call that launched a device node, or -1.
  public int launchOf(int node) {
    for (int edge = firstIncoming[node]; edge < firstIncoming[node + 1]; edge++) {
      if (edgeKind[edge] == (byte) EdgeKind.LAUNCH.ordinal()) {
        return source(edge);
      }
    }
    return -1;
  }

  /// The same graph with other durations, one a node; cheaper than an edit, and node numbers stay.
  public ExecutionGraph withDurationsNanos(long[] nanos) {
    if (nanos.length != nodes()) {
      throw new IllegalArgumentException(
          "a graph of " + nodes() + " nodes needs as many durations, got " + nanos.length);
    }
    return new ExecutionGraph(
        steps,
        launchQueueDepth,
        resources,
        labels,
        kind,
        category,
        resource,
        nanos.clone(),
        labelId,
        traceRow,
        step,
        firstIncoming,
        edgeSource,
        edgeKind,
        edgeLagNanos);
  }

  /// Starts a changed copy: a builder that holds this graph, with the same node numbers.
  public GraphBuilder edit() {
    return GraphBuilder.from(this);
  }
}
