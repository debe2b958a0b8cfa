package dev.pitwall.study;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.graph.TraceGraph;
import dev.pitwall.trace.MemoryEvents;
import dev.pitwall.trace.Slices;
import java.util.Arrays;

/// What the recorder wrote down at each host node of a graph, gathered once so that its cost can be
/// taken out with several assumptions.
final class RecordedThings {
  /// What begins at a node.
  enum Thing {
    /// Nothing: the node goes on with what began before.
    NOTHING,
    OPERATOR,
    COMPILED_KERNEL,
    COMPILED_GRAPH,
    ANNOTATION,
    PYTHON_FRAME,
    API_CALL,
    LAUNCH
  }

  /// The call of a kernel that `torch.compile` generated, by the name of its operator.
  private static final String COMPILED_KERNEL = "triton_";

  /// The annotation around a graph that `torch.compile` generated.
  private static final String COMPILED_GRAPH = "## Call CompiledFxGraph";

  private static final Thing[] THINGS = Thing.values();

  private final TraceGraph traced;
  private final byte[] thing;
  private final int[] launched;
  private final int[] memoryEvents;
  private final double[] stepFactors;
  private final int betweenSteps;
  private final int input;

  RecordedThings(TraceGraph traced) {
    this.traced = traced;
    ExecutionGraph graph = traced.graph();
    int nodes = graph.nodes();
    thing = new byte[nodes];
    launched = new int[nodes];
    memoryEvents = new int[nodes];
    stepFactors = HostSpeed.stepFactors(traced.index());
    betweenSteps = graph.findLabel(TraceGraph.BETWEEN_STEPS);
    input = graph.findLabel(TraceGraph.INPUT);
    boolean[] begun = new boolean[traced.index().trace().slices().size()];
    for (int node = 0; node < nodes; node++) {
      if (graph.kind(node).isDeviceWork()) {
        int launch = graph.launchOf(node);
        if (launch >= 0) {
          launched[launch]++;
          thing[launch] = (byte) Thing.LAUNCH.ordinal();
        }
        continue;
      }
      int row = graph.traceRow(node);
      if (row >= 0 && !begun[row]) {
        begun[row] = true;
        thing[node] = (byte) begins(node).ordinal();
      }
    }
    countMemoryEvents();
  }

  private Thing begins(int node) {
    Slices slices = traced.index().trace().slices();
    return switch (slices.category(traced.graph().traceRow(node))) {
      case CPU_OP ->
          traced.graph().label(node).startsWith(COMPILED_KERNEL)
              ? Thing.COMPILED_KERNEL
              : Thing.OPERATOR;
      case USER_ANNOTATION ->
          traced.graph().label(node).startsWith(COMPILED_GRAPH)
              ? Thing.COMPILED_GRAPH
              : Thing.ANNOTATION;
      case PYTHON_FUNCTION -> Thing.PYTHON_FRAME;
      case RUNTIME, DRIVER -> Thing.API_CALL;
      default -> Thing.NOTHING;
    };
  }

  /// Allocations and releases that fall into each host node. Of the threads, one works at a time
  /// while the others wait for it.
  private void countMemoryEvents() {
    MemoryEvents events = traced.index().trace().memoryEvents();
    if (events.size() == 0) {
      return;
    }
    long[] times = new long[events.size()];
    for (int event = 0; event < times.length; event++) {
      times[event] = events.timeNanos(event);
    }
    for (int node = 0; node < memoryEvents.length; node++) {
      if (!traced.graph().kind(node).isDeviceWork()) {
        memoryEvents[node] =
            below(times, traced.endNanos(node)) - below(times, traced.startNanos()[node]);
      }
    }
  }

  private static int below(long[] ascending, long limit) {
    int found = Arrays.binarySearch(ascending, limit);
    if (found < 0) {
      return -found - 1;
    }
    while (found > 0 && ascending[found - 1] == limit) {
      found--;
    }
    return found;
  }

  ExecutionGraph graph() {
    return traced.graph();
  }

  Thing at(int node) {
    return THINGS[thing[node]];
  }

  /// Device rows of the launch at a node.
  int launched(int node) {
    return launched[node];
  }

  int memoryEvents(int node) {
    return memoryEvents[node];
  }

  /// By what to multiply a node's time for the host's speed in its step.
  double stepFactor(int node) {
    return stepFactors[traced.graph().step(node)];
  }

  /// Time that the recorder spends on itself between two steps.
  boolean isBetweenSteps(int node) {
    return traced.graph().labelId(node) == betweenSteps;
  }

  /// Time of others than the program's threads, which recording does not slow down.
  boolean isElsewhere(int node) {
    NodeKind kind = traced.graph().kind(node);
    return kind.isDeviceWork() || traced.graph().labelId(node) == input;
  }
}
