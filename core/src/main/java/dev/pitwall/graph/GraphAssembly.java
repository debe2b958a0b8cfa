package dev.pitwall.graph;

import java.util.Arrays;

/// Freezes a builder: resolves edges of removed nodes, makes the edges of resource order, sorts the
/// nodes topologically and lays the edges out by target.
///
/// The order prefers device work: a kernel stands as soon after its launch as its edges allow, so
/// that when a launch is simulated, all work queued before it already is. The full launch queue
/// depends on this.
final class GraphAssembly {
  private static final int NONE = GraphBuilder.NONE;

  private final GraphBuilder builder;
  private final int[] numberInGraph;
  private int edgeCount;
  private int[] source = {};
  private int[] target = {};
  private byte[] kind = {};
  private boolean[] carried = {};
  private long[] lagNanos = {};

  GraphAssembly(GraphBuilder builder) {
    this.builder = builder;
    this.numberInGraph = new int[builder.nodes];
  }

  int[] numberInGraph() {
    return numberInGraph;
  }

  ExecutionGraph assemble() {
    collectEdges();
    int[] order = topologicalOrder();
    return layOut(order);
  }

  private void collectEdges() {
    int capacity = builder.edges + builder.nodes + builder.resources.size();
    source = new int[capacity];
    target = new int[capacity];
    kind = new byte[capacity];
    carried = new boolean[capacity];
    lagNanos = new long[capacity];
    for (int node = 0; node < builder.nodes; node++) {
      if (!builder.removed[node]) {
        collectOrderEdge(node);
      }
    }
    for (int edge = 0; edge < builder.edges; edge++) {
      if (!builder.edgeRemoved[edge]) {
        collectEdge(edge);
      }
    }
  }

  private void collectOrderEdge(int node) {
    int resource = builder.resource[node];
    EdgeKind order = builder.resources.get(resource).order();
    int before = builder.previous[node];
    boolean first = before == NONE;
    append(
        first ? builder.lastOfResource[resource] : before,
        node,
        order,
        first,
        builder.orderLagNanos[node]);
  }

  private void collectEdge(int edge) {
    EdgeKind why = EdgeKind.of(builder.edgeKind[edge]);
    int from = builder.edgeSource[edge];
    while (from != NONE && builder.removed[from]) {
      from = builder.previous[from];
    }
    int to = builder.edgeTarget[edge];
    while (to != NONE && builder.removed[to]) {
      to = why.survivesItsTarget() ? builder.next[to] : NONE;
    }
    if (from != NONE && to != NONE && from != to) {
      append(from, to, why, builder.edgeCarried[edge], builder.edgeLagNanos[edge]);
    }
  }

  private void append(int from, int to, EdgeKind why, boolean isCarried, long lag) {
    source[edgeCount] = from;
    target[edgeCount] = to;
    kind[edgeCount] = (byte) why.ordinal();
    carried[edgeCount] = isCarried;
    lagNanos[edgeCount] = lag;
    edgeCount++;
  }

  private int[] topologicalOrder() {
    int nodes = builder.nodes;
    int[] firstOutgoing = new int[nodes + 1];
    int[] unmet = new int[nodes];
    for (int edge = 0; edge < edgeCount; edge++) {
      if (!carried[edge]) {
        firstOutgoing[source[edge] + 1]++;
        unmet[target[edge]]++;
      }
    }
    for (int node = 0; node < nodes; node++) {
      firstOutgoing[node + 1] += firstOutgoing[node];
    }
    int[] outgoing = new int[firstOutgoing[nodes]];
    int[] cursor = Arrays.copyOf(firstOutgoing, nodes);
    for (int edge = 0; edge < edgeCount; edge++) {
      if (!carried[edge]) {
        outgoing[cursor[source[edge]]++] = target[edge];
      }
    }
    int[] order = new int[nodes];
    int[] hostReady = new int[nodes];
    int[] deviceReady = new int[nodes];
    int hostHead = 0;
    int hostTail = 0;
    int deviceTop = 0;
    int alive = 0;
    for (int node = 0; node < nodes; node++) {
      numberInGraph[node] = NONE;
      if (!builder.removed[node]) {
        alive++;
        if (unmet[node] == 0) {
          if (isDevice(node)) {
            deviceReady[deviceTop++] = node;
          } else {
            hostReady[hostTail++] = node;
          }
        }
      }
    }
    int placed = 0;
    while (deviceTop > 0 || hostHead < hostTail) {
      int node = deviceTop > 0 ? deviceReady[--deviceTop] : hostReady[hostHead++];
      numberInGraph[node] = placed;
      order[placed++] = node;
      for (int out = firstOutgoing[node]; out < firstOutgoing[node + 1]; out++) {
        int freed = outgoing[out];
        if (--unmet[freed] == 0) {
          if (isDevice(freed)) {
            deviceReady[deviceTop++] = freed;
          } else {
            hostReady[hostTail++] = freed;
          }
        }
      }
    }
    if (placed != alive) {
      throw new IllegalStateException(cycleMessage(unmet));
    }
    return placed == nodes ? order : Arrays.copyOf(order, placed);
  }

  private boolean isDevice(int node) {
    return NodeKind.of(builder.kind[node]).isDeviceWork();
  }

  private String cycleMessage(int[] unmet) {
    for (int node = 0; node < builder.nodes; node++) {
      if (unmet[node] > 0 && !builder.removed[node]) {
        return "the edges of the graph form a cycle near node "
            + node
            + " ("
            + builder.labels.text(builder.labelId[node])
            + ")";
      }
    }
    return "the edges of the graph form a cycle";
  }

  private ExecutionGraph layOut(int[] order) {
    int nodes = order.length;
    int[] firstIncoming = new int[nodes + 1];
    for (int edge = 0; edge < edgeCount; edge++) {
      firstIncoming[numberInGraph[target[edge]] + 1]++;
    }
    for (int node = 0; node < nodes; node++) {
      firstIncoming[node + 1] += firstIncoming[node];
    }
    int[] cursor = Arrays.copyOf(firstIncoming, nodes);
    int[] edgeSource = new int[edgeCount];
    byte[] edgeKind = new byte[edgeCount];
    long[] edgeLagNanos = new long[edgeCount];
    for (int edge = 0; edge < edgeCount; edge++) {
      int slot = cursor[numberInGraph[target[edge]]]++;
      int from = numberInGraph[source[edge]];
      edgeSource[slot] = carried[edge] ? ~from : from;
      edgeKind[slot] = kind[edge];
      edgeLagNanos[slot] = lagNanos[edge];
    }
    byte[] nodeKind = new byte[nodes];
    byte[] category = new byte[nodes];
    int[] resource = new int[nodes];
    long[] durationNanos = new long[nodes];
    int[] labelId = new int[nodes];
    int[] traceRow = new int[nodes];
    int[] step = new int[nodes];
    for (int node = 0; node < nodes; node++) {
      int from = order[node];
      nodeKind[node] = builder.kind[from];
      category[node] = builder.category[from];
      resource[node] = builder.resource[from];
      durationNanos[node] = builder.durationNanos[from];
      labelId[node] = builder.labelId[from];
      traceRow[node] = builder.traceRow[from];
      step[node] = builder.step[from];
    }
    return new ExecutionGraph(
        builder.steps,
        builder.launchQueueDepth,
        builder.resources,
        builder.labels.copy(),
        nodeKind,
        category,
        resource,
        durationNanos,
        labelId,
        traceRow,
        step,
        firstIncoming,
        edgeSource,
        edgeKind,
        edgeLagNanos);
  }
}
