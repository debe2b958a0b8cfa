package dev.pitwall.simulate;

import dev.pitwall.graph.EdgeKind;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.NodeKind;
import java.util.Arrays;

/// Simulates an execution graph, one repetition after the other: every node starts as soon as its
/// incoming edges allow. The CPU may run ahead of the device until the launch queue is full; then a
/// launch waits until the device has started the work that was queued a queue's depth before it.
///
/// One pass over the rows is one repetition; the times of the last two are kept. Times are
/// nanoseconds since the start of the first repetition. Used by one thread.
public final class Replay {
  private static final int NONE = -1;

  private final ExecutionGraph graph;
  private final int nodes;
  private final int[] firstIncoming;
  /// Where an edge reads its time: twice the source for a start, plus one for an end; complemented
  /// where the source is in the repetition before.
  private final int[] edgeTime;
  private final long[] edgeLagNanos;
  private final long[] durationNanos;
  /// Stream that a launch puts work on, [#NONE] for other nodes.
  private final int[] queueOfLaunch;
  /// Launch that made a device node, [#NONE] for other nodes and all but the first of one launch.
  private final int[] launchOfDeviceNode;

  private final int depth;
  private final long[][] queueFreeNanos;
  private final int[] queued;
  private final int[] slotOfLaunch;

  private long[] times;
  private long[] timesBefore;
  private long finishNanos;
  private long finishBeforeNanos;
  private int repetitions;

  public Replay(ExecutionGraph graph) {
    this.graph = graph;
    nodes = graph.nodes();
    firstIncoming = new int[nodes + 1];
    edgeTime = new int[graph.edges()];
    edgeLagNanos = new long[graph.edges()];
    durationNanos = new long[nodes];
    queueOfLaunch = new int[nodes];
    launchOfDeviceNode = new int[nodes];
    slotOfLaunch = new int[nodes];
    depth = graph.launchQueueDepth();
    int resources = graph.resources().size();
    queueFreeNanos = new long[resources][];
    queued = new int[resources];
    times = new long[2 * nodes];
    timesBefore = new long[2 * nodes];
    Arrays.fill(timesBefore, Long.MIN_VALUE / 2);
    Arrays.fill(queueOfLaunch, NONE);
    Arrays.fill(launchOfDeviceNode, NONE);
    for (int node = 0; node < nodes; node++) {
      prepare(node);
    }
    firstIncoming[nodes] = graph.edges();
  }

  private void prepare(int node) {
    firstIncoming[node] = graph.firstIncoming(node);
    durationNanos[node] = graph.durationNanos(node);
    for (int edge = graph.firstIncoming(node); edge < graph.endIncoming(node); edge++) {
      EdgeKind kind = graph.edgeKind(edge);
      int source = graph.source(edge);
      int time = 2 * source + (kind.isAnchoredAtStart() ? 0 : 1);
      edgeTime[edge] = graph.isCarried(edge) ? ~time : time;
      edgeLagNanos[edge] = graph.lagNanos(edge);
      if (kind == EdgeKind.LAUNCH
          && !graph.isCarried(edge)
          && graph.kind(source) == NodeKind.LAUNCH
          && queueOfLaunch[source] == NONE) {
        int stream = graph.resource(node);
        queueOfLaunch[source] = stream;
        launchOfDeviceNode[node] = source;
        if (queueFreeNanos[stream] == null) {
          queueFreeNanos[stream] = new long[depth];
        }
      }
    }
  }

  public ExecutionGraph graph() {
    return graph;
  }

  /// Lets a resource be busy until `nanos` before the first repetition: work from before the graph.
  public void busyUntil(int resource, long nanos) {
    for (int node = 0; node < nodes; node++) {
      if (graph.resource(node) == resource) {
        int edge = graph.firstIncoming(node);
        timesBefore[2 * graph.source(edge) + 1] = nanos;
        return;
      }
    }
  }

  /// Puts launches into a stream's queue before the first repetition: starts of the work they
  /// launched, ascending.
  public void queuedBefore(int stream, long[] startNanos) {
    if (queueFreeNanos[stream] != null) {
      for (long start : startNanos) {
        queueFreeNanos[stream][queued[stream]++ % depth] = start;
      }
    }
  }

  /// Simulates the next repetition.
  public void repeat() {
    if (repetitions > 0) {
      long[] older = timesBefore;
      timesBefore = times;
      times = older;
    }
    long[] now = times;
    long[] before = timesBefore;
    long finish = finishNanos;
    int edge = 0;
    for (int node = 0; node < nodes; node++) {
      long start = 0;
      for (int end = firstIncoming[node + 1]; edge < end; edge++) {
        int time = edgeTime[edge];
        long ready = (time >= 0 ? now[time] : before[~time]) + edgeLagNanos[edge];
        start = Math.max(start, ready);
      }
      int queue = queueOfLaunch[node];
      if (queue != NONE) {
        start = enqueue(node, queue, start);
      }
      int launch = launchOfDeviceNode[node];
      if (launch != NONE) {
        queueFreeNanos[queueOfLaunch[launch]][slotOfLaunch[launch]] = start;
      }
      long endNanos = start + durationNanos[node];
      now[2 * node] = start;
      now[2 * node + 1] = endNanos;
      finish = Math.max(finish, endNanos);
    }
    finishBeforeNanos = finishNanos;
    finishNanos = finish;
    repetitions++;
  }

  private long enqueue(int launch, int queue, long start) {
    int slot = queued[queue] % depth;
    long[] free = queueFreeNanos[queue];
    long begin = queued[queue] < depth ? start : Math.max(start, free[slot]);
    free[slot] = 0;
    slotOfLaunch[launch] = slot;
    queued[queue]++;
    return begin;
  }

  public int repetitions() {
    return repetitions;
  }

  /// Start of a node in the last repetition.
  public long startNanos(int node) {
    return times[2 * node];
  }

  /// End of a node in the last repetition.
  public long endNanos(int node) {
    return times[2 * node + 1];
  }

  /// Start of a node in the repetition before the last; very negative before the second.
  public long startBeforeNanos(int node) {
    return timesBefore[2 * node];
  }

  /// When all nodes so far have ended.
  public long finishNanos() {
    return finishNanos;
  }

  /// When all nodes of the repetition before the last had ended.
  public long finishBeforeNanos() {
    return finishBeforeNanos;
  }

  /// When an edge allowed its target to start in the last repetition.
  long readyNanos(int edge) {
    int time = edgeTime[edge];
    return (time >= 0 ? times[time] : timesBefore[~time]) + edgeLagNanos[edge];
  }

  /// The edge that was the last to let a node start in the last repetition. Where even that one
  /// allowed it earlier than it started, a full launch queue or the beginning of time held it.
  int bindingEdge(int node) {
    int binding = firstIncoming[node];
    long latest = readyNanos(binding);
    for (int edge = binding + 1; edge < firstIncoming[node + 1]; edge++) {
      long ready = readyNanos(edge);
      if (ready > latest) {
        latest = ready;
        binding = edge;
      }
    }
    return binding;
  }
}
