package dev.pitwall.graph;

import java.util.ArrayList;
import java.util.List;

/// Checks what every graph must obey; run after every pass in tests. Each check is one method.
public final class GraphVerifier {
  private static final int MOST_FAULTS = 20;

  private final ExecutionGraph graph;
  private final List<String> faults = new ArrayList<>();

  private GraphVerifier(ExecutionGraph graph) {
    this.graph = graph;
  }

  /// What is wrong with the graph, as sentences; empty where nothing is.
  public static List<String> faults(ExecutionGraph graph) {
    GraphVerifier verifier = new GraphVerifier(graph);
    for (int node = 0; node < graph.nodes(); node++) {
      verifier.checkColumns(node);
      verifier.checkEdges(node);
    }
    verifier.checkChains();
    return List.copyOf(verifier.faults);
  }

  private void checkColumns(int node) {
    if (graph.durationNanos(node) < 0) {
      fault(node, "lasts " + graph.durationNanos(node) + " ns");
    }
    if (graph.step(node) < 0 || graph.step(node) >= graph.steps()) {
      fault(node, "is in step " + graph.step(node) + " of " + graph.steps());
    }
    if (graph.resource(node) < 0 || graph.resource(node) >= graph.resources().size()) {
      fault(node, "is on no resource");
    } else if (graph.resources().get(graph.resource(node)).isStream()
        != graph.kind(node).isDeviceWork()) {
      fault(node, "of kind " + graph.kind(node) + " is on a resource of the other side");
    }
  }

  private void checkEdges(int node) {
    for (int edge = graph.firstIncoming(node); edge < graph.endIncoming(node); edge++) {
      int source = graph.source(edge);
      if (!graph.isCarried(edge) && source >= node) {
        fault(node, "depends on the later node " + source);
      }
      boolean fits =
          switch (graph.edgeKind(edge)) {
            case PROGRAM_ORDER, STREAM_ORDER -> graph.resource(source) == graph.resource(node);
            case LAUNCH -> graph.kind(node).isDeviceWork() && !graph.kind(source).isDeviceWork();
            case EVENT_WAIT -> graph.kind(node).isDeviceWork() && graph.kind(source).isDeviceWork();
            case HOST_SYNC, QUEUE_FULL ->
                !graph.kind(node).isDeviceWork() && graph.kind(source).isDeviceWork();
            case HAND_OVER ->
                !graph.kind(node).isDeviceWork() && !graph.kind(source).isDeviceWork();
            case RENDEZVOUS -> graph.kind(node) == NodeKind.COLLECTIVE;
          };
      if (!fits) {
        fault(node, "has a " + graph.edgeKind(edge) + " edge from " + describe(source));
      }
    }
  }

  private void checkChains() {
    int[] last = new int[graph.resources().size()];
    java.util.Arrays.fill(last, -1);
    for (int node = 0; node < graph.nodes(); node++) {
      int resource = graph.resource(node);
      int before = -1;
      int orderEdges = 0;
      for (int edge = graph.firstIncoming(node); edge < graph.endIncoming(node); edge++) {
        if (graph.edgeKind(edge).isResourceOrder()) {
          orderEdges++;
          before = graph.isCarried(edge) ? -1 : graph.source(edge);
        }
      }
      if (orderEdges != 1 || before != last[resource]) {
        fault(node, "does not follow node " + last[resource] + " on its resource");
      }
      last[resource] = node;
    }
  }

  private void fault(int node, String text) {
    if (faults.size() < MOST_FAULTS) {
      faults.add(describe(node) + " " + text);
    }
  }

  private String describe(int node) {
    return "node " + node + " (" + graph.label(node) + ")";
  }
}
