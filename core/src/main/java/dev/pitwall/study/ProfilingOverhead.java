package dev.pitwall.study;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.NodeKind;

/// What recording adds to the host's work, by recorded thing, in nanoseconds; and how to take it
/// out of a graph again.
///
/// The cost of a thing is taken out of the piece of CPU time it begins; what does not fit there,
/// out of the pieces that follow on the thread. Every piece keeps a share of its time, so nothing
/// becomes free. Device work is left alone: on the recordings this was fitted on, busy time with
/// and without the recorder differed by less than 0.3 us a kernel.
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
/// @param compiledGraphNanos the call of a compiled graph: its annotation is opened and closed in
///     Python, and only while a recorder runs
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
    double compiledGraphNanos,
    double hostSlowdown) {
  /// Least share of a recorded piece of CPU time that is the program's own. Below it the piece
  /// would be faster than the same code was ever measured without the recorder.
  private static final double LEAST_SHARE = 0.3;

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
        compiledGraphNanos,
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
        compiledGraphNanos * factor,
        1 + (hostSlowdown - 1) * factor);
  }

  /// Durations of the graph's nodes without the recorder.
  long[] durationsWithout(RecordedThings things) {
    ExecutionGraph graph = things.graph();
    long[] durations = new long[graph.nodes()];
    double[] owed = new double[graph.resources().size()];
    for (int node = 0; node < durations.length; node++) {
      long recorded = graph.durationNanos(node);
      durations[node] = recorded;
      if (things.isElsewhere(node)) {
        continue;
      }
      if (things.isBetweenSteps(node)) {
        durations[node] = 0;
        continue;
      }
      int resource = graph.resource(node);
      double cost = owed[resource] + costAt(things, node);
      if (graph.kind(node) == NodeKind.HOST_WAIT) {
        owed[resource] = cost;
        continue;
      }
      double atUsualSpeed = recorded * things.stepFactor(node) / hostSlowdown;
      double left = Math.max(recorded * LEAST_SHARE, atUsualSpeed - cost);
      owed[resource] = Math.min(MOST_CARRIED_NANOS, Math.max(0, cost - (atUsualSpeed - left)));
      durations[node] = Math.min(recorded, Math.round(left));
    }
    return durations;
  }

  private double costAt(RecordedThings things, int node) {
    double begun =
        switch (things.at(node)) {
          case NOTHING -> 0;
          case OPERATOR -> operatorNanos;
          case COMPILED_KERNEL -> operatorNanos + compiledKernelNanos;
          case COMPILED_GRAPH -> compiledGraphNanos;
          case ANNOTATION -> annotationNanos;
          case PYTHON_FRAME -> pythonFrameNanos;
          case API_CALL -> apiCallNanos;
          case LAUNCH -> launchNanos + (things.launched(node) - 1) * graphNodeNanos;
        };
    return begun + things.memoryEvents(node) * memoryEventNanos;
  }
}
