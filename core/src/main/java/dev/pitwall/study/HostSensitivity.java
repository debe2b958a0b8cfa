package dev.pitwall.study;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.simulate.SteadyState;

/// By which share the step would be shorter on a faster host and longer on a slower one. A step
/// that the device bounds does not show how fast its host will be once a change makes the host the
/// bound.
///
/// @param faster share saved on a host as fast as the fastest recording of one program
/// @param slower share added on one as slow as the slowest
record HostSensitivity(double faster, double slower) {
  /// Host time of one program over several recordings on one machine, against their mean: gpt2 with
  /// and without pinned memory, fused optimizer and `.item()`, 24 to 34 ms.
  private static final double FASTEST = 0.78;

  private static final double SLOWEST = 1.2;

  static HostSensitivity of(ExecutionGraph graph) {
    double step = SteadyState.of(graph).stepNanos();
    if (step <= 0) {
      return new HostSensitivity(0, 0);
    }
    return new HostSensitivity(
        Math.max(0, 1 - step(graph, FASTEST) / step), Math.max(0, step(graph, SLOWEST) / step - 1));
  }

  /// What of it another graph did not have.
  HostSensitivity beyond(HostSensitivity other) {
    return new HostSensitivity(
        Math.max(0, faster - other.faster), Math.max(0, slower - other.slower));
  }

  private static double step(ExecutionGraph graph, double hostFactor) {
    long[] durations = new long[graph.nodes()];
    for (int node = 0; node < durations.length; node++) {
      NodeKind kind = graph.kind(node);
      double factor = kind.isDeviceWork() || kind == NodeKind.HOST_WAIT ? 1 : hostFactor;
      durations[node] = Math.round(graph.durationNanos(node) * factor);
    }
    return SteadyState.of(graph.withDurationsNanos(durations)).stepNanos();
  }
}
