package dev.pitwall.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class GraphBuilderTest {
  private final GraphBuilder builder = new GraphBuilder();
  private final int thread = builder.resource(Resource.thread("main"));
  private final int stream = builder.resource(Resource.stream("stream 7", 0));

  private int launched(String label, long nanos) {
    int launch = builder.add(NodeKind.LAUNCH, thread, 5, "launch " + label);
    int kernel = builder.add(NodeKind.KERNEL, stream, nanos, label);
    builder.edge(launch, kernel, EdgeKind.LAUNCH, 3);
    return kernel;
  }

  @Test
  void resourceOrderFollowsFromTheOrderOfTheNodesAndClosesTheLoop() {
    int a = launched("a", 10);
    int b = launched("b", 20);
    ExecutionGraph graph = builder.build();
    assertThat(GraphVerifier.faults(graph)).isEmpty();
    int first = builder.numberInGraph(a);
    int second = builder.numberInGraph(b);
    assertThat(graph.edgeKind(graph.firstIncoming(second))).isEqualTo(EdgeKind.STREAM_ORDER);
    assertThat(graph.source(graph.firstIncoming(second))).isEqualTo(first);
    assertThat(graph.isCarried(graph.firstIncoming(first))).isTrue();
    assertThat(graph.source(graph.firstIncoming(first))).isEqualTo(second);
    assertThat(graph.label(graph.launchOf(second))).isEqualTo("launch b");
  }

  @Test
  void aRemovedKernelHandsItsWaitersToItsPredecessor() {
    int a = launched("a", 10);
    int b = launched("b", 20);
    int sync = builder.add(NodeKind.HOST_WAIT, thread, 1, "sync");
    builder.edge(b, sync, EdgeKind.HOST_SYNC, 2);
    builder.remove(b);
    ExecutionGraph graph = builder.build();
    assertThat(GraphVerifier.faults(graph)).isEmpty();
    int wait = builder.numberInGraph(sync);
    assertThat(graph.endIncoming(wait) - graph.firstIncoming(wait)).isEqualTo(2);
    assertThat(graph.source(graph.firstIncoming(wait) + 1)).isEqualTo(builder.numberInGraph(a));
  }

  @Test
  void aRemovedSyncTakesItsHostSyncWithIt() {
    int a = launched("a", 10);
    int sync = builder.add(NodeKind.HOST_WAIT, thread, 1, "sync");
    builder.edge(a, sync, EdgeKind.HOST_SYNC, 2);
    int after = builder.add(NodeKind.CPU_SEGMENT, thread, 1, "after");
    builder.remove(sync);
    ExecutionGraph graph = builder.build();
    int segment = builder.numberInGraph(after);
    assertThat(graph.endIncoming(segment) - graph.firstIncoming(segment)).isEqualTo(1);
    assertThat(graph.label(graph.source(graph.firstIncoming(segment)))).isEqualTo("launch a");
  }

  @Test
  void anEditedGraphWithoutChangesIsTheSameGraph() {
    launched("a", 10);
    int b = launched("b", 20);
    int sync = builder.add(NodeKind.HOST_WAIT, thread, 1, "sync");
    builder.edge(b, sync, EdgeKind.HOST_SYNC, 2);
    builder.setOrderLagNanos(b, -4);
    ExecutionGraph graph = builder.build();
    ExecutionGraph same = graph.edit().build();
    assertThat(same.edgeSource).isEqualTo(graph.edgeSource);
    assertThat(same.edgeLagNanos).isEqualTo(graph.edgeLagNanos);
    assertThat(same.labelId).isEqualTo(graph.labelId);
  }

  @Test
  void aCycleIsNamed() {
    int a = builder.add(NodeKind.CPU_SEGMENT, thread, 1, "a");
    int b = builder.add(NodeKind.CPU_SEGMENT, thread, 1, "b");
    builder.edge(b, a, EdgeKind.HAND_OVER, 0);
    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("cycle");
  }

  @Test
  void insertedNodesStandBesideTheirNeighbour() {
    int a = launched("a", 10);
    int cast = builder.insertBefore(a, NodeKind.KERNEL, 3, "cast");
    builder.insertAfter(a, NodeKind.MEMSET, 2, "fill");
    ExecutionGraph graph = builder.build();
    assertThat(GraphVerifier.faults(graph)).isEmpty();
    assertThat(builder.numberInGraph(cast)).isLessThan(builder.numberInGraph(a));
    assertThat(graph.label(graph.source(graph.firstIncoming(builder.numberInGraph(a)))))
        .isEqualTo("cast");
  }
}
