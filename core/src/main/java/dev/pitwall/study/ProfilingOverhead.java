package dev.pitwall.study;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.graph.TraceGraph;
import dev.pitwall.trace.MemoryEvents;
import dev.pitwall.trace.Slices;
import java.util.Arrays;

/// What recording adds to the host's work, by recorded thing, in nanoseconds; and how to take it
// out
/// of a graph again.
///
/// The cost of a thing is taken out of the piece of CPU time it begins; what does not fit there,
// out
/// of the pieces that follow on the thread. Every piece keeps a share of its time, so nothing
// becomes
/// free. Device work is left alone: on the recordings this was fitted on, busy time with and
// without
/// the recorder differed by less than 0.3 us a kernel.
///
/// @param operatorNanos a CPU operator or autograd node
/// @param apiCallNanos a runtime or driver call that launches nothing
/// @param launchNanos a call that launches
/// @param graphNodeNanos each further device row of one launch (CUDA graphs)
/// @param annotationNanos a user annotation
/// @param pythonFrameNanos a Python frame (`with_stack`)
/// @param memoryEventNanos an allocation or release (`profile_memory`)
/// @param compiledKernelNanos the call of a compiled kernel, on top of its operator: the generated
///     code describes the kernel to the recorder in Python
/// @param hostSlowdown by how much all other host work is slower under the recorder: 1.05 is 5 %
public record ProfilingOverhead(
    double operatorNanos,
    double apiCallNanos,
    double launchNanos,
    double graphNodeNanos,
    double annotationNanos,
    double pythonFrameNanos,
    double memoryEventNanos,
    double compiledKernelNanos,
    double hostSlowdown) {
  /// Least share of a recorded piece of CPU time that is the program's own. Below it the piece
  // would
  /// be faster than the same code was ever measured without the recorder.
  private static final double LEAST_SHARE = 0.3;

  private static final String COMPILED_KERNEL = "triton_";

  /// Cost that finds no room within this much of following time is dropped: the thread was idle.
  private static final double MOST_CARRIED_NANOS = 50_000;

  /// The same costs on a host that otherwise ran this many times slower than assumed.
  ProfilingOverhead slowedBy(double factor) {
    return withHostSlowdown(hostSlowdown * factor);
  }

  ProfilingOverhead withHostSlowdown(double slowdown) {
    return new ProfilingOverhead(
        operatorNanos,
        apiCallNanos,
        launchNanos,
        graphNodeNanos,
        annotationNanos,
        pythonFrameNanos,
        memoryEventNanos,
        compiledKernelNanos,
        slowdown);
  }

  /// The same costs, each this many times as large.
  public ProfilingOverhead times(double factor) {
    return new ProfilingOverhead(
        operatorNanos * factor,
        apiCallNanos * factor,
        launchNanos * factor,
        graphNodeNanos * factor,
        annotationNanos * factor,
        pythonFrameNanos * factor,
        memoryEventNanos * factor,
        compiledKernelNanos * factor,
        1 + (hostSlowdown - 1) * factor);
  }

  /// Durations of the graph's nodes without the recorder.
  public long[] durationsWithout(TraceGraph traced) {
    ExecutionGraph graph = traced.graph();
    int nodes = graph.nodes();
    long[] durations = new long[nodes];
    int[] launched = launchedByCall(graph);
    int[] memoryEvents = memoryEventsByNode(traced);
    double[] stepFactors = HostSpeed.stepFactors(traced.index());
    double[] owed = new double[graph.resources().size()];
    boolean[] begun = new boolean[traced.index().trace().slices().size()];
    for (int node = 0; node < nodes; node++) {
      long recorded = graph.durationNanos(node);
      durations[node] = recorded;
      if (graph.kind(node).isDeviceWork() || isFreeOfOverhead(traced, node)) {
        continue;
      }
      String label = graph.label(node);
      if (label.equals(TraceGraph.BETWEEN_STEPS)) {
        durations[node] = 0;
        continue;
      }
      int resource = graph.resource(node);
      int row = graph.traceRow(node);
      double cost = owed[resource] + memoryEvents[node] * memoryEventNanos;
      if (row >= 0 && !begun[row]) {
        begun[row] = true;
        cost += costOf(traced, node, launched[node]);
      }
      if (graph.kind(node) == NodeKind.HOST_WAIT) {
        owed[resource] = cost;
        continue;
      }
      double atUsualSpeed = recorded * stepFactors[graph.step(node)] / hostSlowdown;
      double left = Math.max(recorded * LEAST_SHARE, atUsualSpeed - cost);
      owed[resource] = Math.min(MOST_CARRIED_NANOS, Math.max(0, cost - (atUsualSpeed - left)));
      durations[node] = Math.round(left);
    }
    return durations;
  }

  private static boolean isFreeOfOverhead(TraceGraph traced, int node) {
    return traced.graph().label(node).equals(TraceGraph.INPUT);
  }

  private double costOf(TraceGraph traced, int node, int launched) {
    Slices slices = traced.index().trace().slices();
    return switch (slices.category(traced.graph().traceRow(node))) {
      case CPU_OP ->
          traced.graph().label(node).startsWith(COMPILED_KERNEL)
              ? operatorNanos + compiledKernelNanos
              : operatorNanos;
      case USER_ANNOTATION -> annotationNanos;
      case PYTHON_FUNCTION -> pythonFrameNanos;
      case RUNTIME, DRIVER ->
          launched == 0 ? apiCallNanos : launchNanos + (launched - 1) * graphNodeNanos;
      default -> 0;
    };
  }

  private static int[] launchedByCall(ExecutionGraph graph) {
    int[] launched = new int[graph.nodes()];
    for (int node = 0; node < graph.nodes(); node++) {
      int launch = graph.kind(node).isDeviceWork() ? graph.launchOf(node) : -1;
      if (launch >= 0) {
        launched[launch]++;
      }
    }
    return launched;
  }

  /// Allocations and releases that fall into each host node. The trace does not name their thread;
  /// of the threads, one works at a time while the others wait for it.
  private static int[] memoryEventsByNode(TraceGraph traced) {
    ExecutionGraph graph = traced.graph();
    int[] found = new int[graph.nodes()];
    MemoryEvents events = traced.index().trace().memoryEvents();
    if (events.size() == 0) {
      return found;
    }
    long[] times = new long[events.size()];
    for (int event = 0; event < times.length; event++) {
      times[event] = events.timeNanos(event);
    }
    for (int node = 0; node < found.length; node++) {
      if (!graph.kind(node).isDeviceWork()) {
        found[node] = below(times, traced.endNanos(node)) - below(times, traced.startNanos()[node]);
      }
    }
    return found;
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
}
