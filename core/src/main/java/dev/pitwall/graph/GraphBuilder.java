package dev.pitwall.graph;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Names;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Makes an [ExecutionGraph]: from nothing, node by node, or by changing an existing one
/// ([ExecutionGraph#edit]). Used by one thread.
///
/// Nodes of one resource form a chain in the order they were added; program and stream order follow
/// from the chain and need no edges. Node numbers stay valid until [#build]; the built graph
/// numbers anew ([#numberInGraph] translates).
///
/// ```java
/// var builder = new GraphBuilder();
/// int thread = builder.resource(Resource.thread("main"));
/// int stream = builder.resource(Resource.stream("stream 7", 0));
/// int launch = builder.add(NodeKind.LAUNCH, thread, 4_000, "cudaLaunchKernel");
/// int kernel = builder.add(NodeKind.KERNEL, stream, 90_000, "gemm");
/// builder.edge(launch, kernel, EdgeKind.LAUNCH, 5_000);
/// ExecutionGraph graph = builder.build();
/// ```
public final class GraphBuilder {
  /// Launches that CUDA lets a thread queue before a launch blocks.
  public static final int DEFAULT_LAUNCH_QUEUE_DEPTH = 1021;

  static final int NONE = -1;

  final Labels labels;
  final List<Resource> resources = new ArrayList<>();
  int steps = 1;
  int launchQueueDepth = DEFAULT_LAUNCH_QUEUE_DEPTH;

  int nodes;
  byte[] kind = new byte[64];
  byte[] category = new byte[64];
  int[] resource = new int[64];
  long[] durationNanos = new long[64];
  int[] labelId = new int[64];
  int[] traceRow = new int[64];
  int[] step = new int[64];
  long[] orderLagNanos = new long[64];
  int[] previous = new int[64];
  int[] next = new int[64];
  boolean[] removed = new boolean[64];
  int[] headIncoming = new int[64];

  int[] firstOfResource = new int[4];
  int[] lastOfResource = new int[4];

  int edges;
  int[] edgeSource = new int[64];
  int[] edgeTarget = new int[64];
  byte[] edgeKind = new byte[64];
  boolean[] edgeCarried = new boolean[64];
  boolean[] edgeRemoved = new boolean[64];
  long[] edgeLagNanos = new long[64];
  int[] nextIncoming = new int[64];

  private int[] numberInGraph = {};

  public GraphBuilder() {
    this(new Labels(new Names()));
  }

  /// A builder whose label ids below `names.size()` are the ids of `names`.
  public GraphBuilder(Names names) {
    this(new Labels(names));
  }

  private GraphBuilder(Labels labels) {
    this.labels = labels;
  }

  static GraphBuilder from(ExecutionGraph graph) {
    GraphBuilder builder = new GraphBuilder(graph.labels.copy());
    builder.steps = graph.steps;
    builder.launchQueueDepth = graph.launchQueueDepth;
    graph.resources.forEach(builder::resource);
    builder.reserveNodes(graph.nodes());
    for (int node = 0; node < graph.nodes(); node++) {
      builder.add(
          graph.kind(node),
          graph.resource[node],
          graph.durationNanos[node],
          graph.labelId[node],
          graph.traceRow[node],
          graph.step[node],
          graph.category(node));
    }
    for (int node = 0; node < graph.nodes(); node++) {
      for (int edge = graph.firstIncoming[node]; edge < graph.firstIncoming[node + 1]; edge++) {
        if (graph.edgeKind(edge).isResourceOrder()) {
          builder.orderLagNanos[node] = graph.edgeLagNanos[edge];
        } else {
          int made =
              builder.edge(
                  graph.source(edge), node, graph.edgeKind(edge), graph.edgeLagNanos[edge]);
          builder.edgeCarried[made] = graph.isCarried(edge);
        }
      }
    }
    return builder;
  }

  /// Sets how many training steps the nodes span; 1 unless said.
  public GraphBuilder steps(int count) {
    steps = count;
    return this;
  }

  /// Sets how many launches a thread may be ahead of the device.
  public GraphBuilder launchQueueDepth(int launches) {
    launchQueueDepth = launches;
    return this;
  }

  /// Adds a thread or stream and returns its index.
  public int resource(Resource added) {
    int id = resources.size();
    if (id == firstOfResource.length) {
      firstOfResource = Arrays.copyOf(firstOfResource, id * 2);
      lastOfResource = Arrays.copyOf(lastOfResource, id * 2);
    }
    firstOfResource[id] = NONE;
    lastOfResource[id] = NONE;
    resources.add(added);
    return id;
  }

  public List<Resource> resources() {
    return List.copyOf(resources);
  }

  /// The id of a label text, for [#add(NodeKind, int, long, int, int, int, Category)].
  public int label(String text) {
    return labels.id(text);
  }

  /// Appends a node to the chain of its resource: first step, no trace row.
  public int add(NodeKind nodeKind, int resourceId, long nanos, String label) {
    return add(nodeKind, resourceId, nanos, labels.id(label), NONE, 0, nodeKind.category());
  }

  /// Appends a node to the chain of its resource and returns its number.
  public int add(
      NodeKind nodeKind,
      int resourceId,
      long nanos,
      int label,
      int row,
      int stepIndex,
      Category sliceCategory) {
    int node = newNode(nodeKind, resourceId, nanos, label, row, stepIndex, sliceCategory);
    link(lastOfResource[resourceId], node, NONE);
    return node;
  }

  /// Puts a node right after `neighbour` on the same resource and step. It has no other edges.
  public int insertAfter(int neighbour, NodeKind nodeKind, long nanos, String label) {
    int node = newNeighbour(neighbour, nodeKind, nanos, label);
    link(neighbour, node, next[neighbour]);
    return node;
  }

  /// Puts a node right before `neighbour` on the same resource and step. It has no other edges.
  public int insertBefore(int neighbour, NodeKind nodeKind, long nanos, String label) {
    int node = newNeighbour(neighbour, nodeKind, nanos, label);
    link(previous[neighbour], node, neighbour);
    return node;
  }

  /// Takes a node out. Its neighbours on the resource become neighbours; what waited for it waits
  /// for what came before it there; what it waited for by event or hand-over, the next node there
  /// waits for; its launch and its host syncs go with it.
  public void remove(int node) {
    if (removed[node]) {
      return;
    }
    removed[node] = true;
    int before = previous[node];
    int after = next[node];
    if (before != NONE) {
      next[before] = after;
    } else {
      firstOfResource[resource[node]] = after;
    }
    if (after != NONE) {
      previous[after] = before;
    } else {
      lastOfResource[resource[node]] = before;
    }
  }

  public void setDurationNanos(int node, long nanos) {
    durationNanos[node] = Math.max(0, nanos);
  }

  public void scaleDuration(int node, double factor) {
    setDurationNanos(node, Math.round(durationNanos[node] * factor));
  }

  public long durationNanos(int node) {
    return durationNanos[node];
  }

  public void setKind(int node, NodeKind nodeKind) {
    kind[node] = (byte) nodeKind.ordinal();
  }

  public void setLabel(int node, String label) {
    labelId[node] = labels.id(label);
  }

  /// Sets the least time between the end of the node before on the resource and the start of this
  /// one; negative where they may overlap (programmatic dependent launch).
  public void setOrderLagNanos(int node, long nanos) {
    orderLagNanos[node] = nanos;
  }

  public long orderLagNanos(int node) {
    return orderLagNanos[node];
  }

  /// Adds a dependency and returns its number.
  public int edge(int source, int target, EdgeKind why, long lagNanos) {
    if (why.isResourceOrder()) {
      throw new IllegalArgumentException(why + " follows from the order on a resource");
    }
    if (edges == edgeSource.length) {
      int capacity = edges * 2;
      edgeSource = Arrays.copyOf(edgeSource, capacity);
      edgeTarget = Arrays.copyOf(edgeTarget, capacity);
      edgeKind = Arrays.copyOf(edgeKind, capacity);
      edgeCarried = Arrays.copyOf(edgeCarried, capacity);
      edgeRemoved = Arrays.copyOf(edgeRemoved, capacity);
      edgeLagNanos = Arrays.copyOf(edgeLagNanos, capacity);
      nextIncoming = Arrays.copyOf(nextIncoming, capacity);
    }
    int edge = edges++;
    edgeSource[edge] = source;
    edgeTarget[edge] = target;
    edgeKind[edge] = (byte) why.ordinal();
    edgeLagNanos[edge] = lagNanos;
    nextIncoming[edge] = headIncoming[target];
    headIncoming[target] = edge;
    return edge;
  }

  /// Adds a dependency on a node of the repetition before.
  public int carriedEdge(int source, int target, EdgeKind why, long lagNanos) {
    int edge = edge(source, target, why, lagNanos);
    edgeCarried[edge] = true;
    return edge;
  }

  /// Removes the incoming edges of one kind, such as the host syncs of a wait.
  public void removeIncoming(int node, EdgeKind why) {
    for (int edge = headIncoming[node]; edge != NONE; edge = nextIncoming[edge]) {
      if (edgeKind[edge] == (byte) why.ordinal()) {
        edgeRemoved[edge] = true;
      }
    }
  }

  /// Gives all incoming edges of one kind another lag.
  public void setIncomingLagNanos(int node, EdgeKind why, long lagNanos) {
    for (int edge = headIncoming[node]; edge != NONE; edge = nextIncoming[edge]) {
      if (edgeKind[edge] == (byte) why.ordinal()) {
        edgeLagNanos[edge] = lagNanos;
      }
    }
  }

  /// The node after this one on its resource, or -1.
  public int nextOnResource(int node) {
    return next[node];
  }

  /// The node before this one on its resource, or -1.
  public int previousOnResource(int node) {
    return previous[node];
  }

  /// Nodes added so far, removed ones included.
  public int nodes() {
    return nodes;
  }

  /// Whether a node was taken out.
  public boolean isRemoved(int node) {
    return removed[node];
  }

  /// Sorts the nodes topologically and freezes the graph. Throws `IllegalStateException` where
  /// edges form a cycle.
  public ExecutionGraph build() {
    GraphAssembly assembly = new GraphAssembly(this);
    ExecutionGraph graph = assembly.assemble();
    numberInGraph = assembly.numberInGraph();
    return graph;
  }

  /// Number in the graph last built of a node of this builder; -1 for a removed node.
  public int numberInGraph(int node) {
    return numberInGraph[node];
  }

  private int newNeighbour(int neighbour, NodeKind nodeKind, long nanos, String label) {
    return newNode(
        nodeKind,
        resource[neighbour],
        nanos,
        labels.id(label),
        NONE,
        step[neighbour],
        nodeKind.category());
  }

  private int newNode(
      NodeKind nodeKind,
      int resourceId,
      long nanos,
      int label,
      int row,
      int stepIndex,
      Category sliceCategory) {
    if (nanos < 0) {
      throw new IllegalArgumentException("a node cannot last " + nanos + " ns");
    }
    if (nodes == kind.length) {
      reserveNodes(nodes * 2);
    }
    int node = nodes++;
    kind[node] = (byte) nodeKind.ordinal();
    category[node] = (byte) sliceCategory.ordinal();
    resource[node] = resourceId;
    durationNanos[node] = nanos;
    labelId[node] = label;
    traceRow[node] = row;
    step[node] = stepIndex;
    headIncoming[node] = NONE;
    return node;
  }

  private void reserveNodes(int capacity) {
    if (capacity <= kind.length) {
      return;
    }
    kind = Arrays.copyOf(kind, capacity);
    category = Arrays.copyOf(category, capacity);
    resource = Arrays.copyOf(resource, capacity);
    durationNanos = Arrays.copyOf(durationNanos, capacity);
    labelId = Arrays.copyOf(labelId, capacity);
    traceRow = Arrays.copyOf(traceRow, capacity);
    step = Arrays.copyOf(step, capacity);
    orderLagNanos = Arrays.copyOf(orderLagNanos, capacity);
    previous = Arrays.copyOf(previous, capacity);
    next = Arrays.copyOf(next, capacity);
    removed = Arrays.copyOf(removed, capacity);
    headIncoming = Arrays.copyOf(headIncoming, capacity);
  }

  private void link(int before, int node, int after) {
    previous[node] = before;
    next[node] = after;
    if (before == NONE) {
      firstOfResource[resource[node]] = node;
    } else {
      next[before] = node;
    }
    if (after == NONE) {
      lastOfResource[resource[node]] = node;
    } else {
      previous[after] = node;
    }
  }
}
