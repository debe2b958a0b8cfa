package dev.pitwall.pass.fix;

import dev.pitwall.graph.EdgeKind;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.pass.Pass;
import dev.pitwall.pass.PassContext;
import java.util.Optional;

/// Overlap communication with compute wherever the two need not wait for each other: what perfect
/// bucketing and prefetching could reach.
///
/// ```
/// before  compute  |fwd|bwd 2|bwd 1|  waits  |optimizer|
///         comm               |bucket 2|bucket 1|
/// after   compute  |fwd|bwd 2|bwd 1|optimizer|
///         comm               |bucket 2|bucket 1|
/// ```
///
/// Compute no longer waits for collectives, so the step is the longer of the two: a bound, not a
/// promise.
public final class ExposedCommunication implements Pass {
  @Override
  public String id() {
    return "exposed-communication";
  }

  @Override
  public String summary() {
    return "hide all communication behind compute (upper bound of bucketing and prefetching)";
  }

  @Override
  public Optional<String> obstacle(PassContext context, String argument) {
    return Collectives.present(context)
        ? Optional.empty()
        : Optional.of("the trace has no communication kernels");
  }

  @Override
  public ExecutionGraph apply(PassContext context, ExecutionGraph graph, String argument) {
    GraphChange change = new GraphChange(graph);
    for (int node = 0; node < graph.nodes(); node++) {
      if (graph.kind(node) != NodeKind.COLLECTIVE) {
        dropWaitsForCollectives(change, node);
      }
    }
    return change.build();
  }

  private static void dropWaitsForCollectives(GraphChange change, int node) {
    ExecutionGraph graph = change.graph();
    for (EdgeKind kind : new EdgeKind[] {EdgeKind.EVENT_WAIT, EdgeKind.HOST_SYNC}) {
      boolean waits = false;
      for (int edge = graph.firstIncoming(node); edge < graph.endIncoming(node); edge++) {
        waits |= graph.edgeKind(edge) == kind && isCollective(graph, edge);
      }
      if (!waits) {
        continue;
      }
      change.edit().removeIncoming(node, kind);
      for (int edge = graph.firstIncoming(node); edge < graph.endIncoming(node); edge++) {
        if (graph.edgeKind(edge) == kind && !isCollective(graph, edge)) {
          if (graph.isCarried(edge)) {
            change.edit().carriedEdge(graph.source(edge), node, kind, graph.lagNanos(edge));
          } else {
            change.edit().edge(graph.source(edge), node, kind, graph.lagNanos(edge));
          }
        }
      }
    }
  }

  private static boolean isCollective(ExecutionGraph graph, int edge) {
    return graph.kind(graph.source(edge)) == NodeKind.COLLECTIVE;
  }
}
