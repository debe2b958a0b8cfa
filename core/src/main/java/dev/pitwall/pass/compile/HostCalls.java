package dev.pitwall.pass.compile;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.trace.LongColumn;
import dev.pitwall.trace.TraceIndex;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/// What calling an operator costs the host in one program, without the recorder.
final class HostCalls {
  private HostCalls() {}

  /// By operator, the host time of one call with everything it calls: the lower quartile, because a
  /// call of an eager program can also wait for room in the launch queue or for the interpreter,
  /// which one in the tight loop of a generated wrapper does not.
  static Map<String, Long> nanosByName(TraceIndex index, ExecutionGraph graph) {
    long[] nanosOfRow = new long[index.trace().slices().size()];
    for (int node = 0; node < graph.nodes(); node++) {
      NodeKind kind = graph.kind(node);
      if (kind.isDeviceWork() || kind == NodeKind.HOST_WAIT) {
        continue;
      }
      for (int at = graph.traceRow(node); at >= 0; at = index.calls().parent(at)) {
        nanosOfRow[at] += graph.durationNanos(node);
      }
    }
    Map<String, LongColumn> calls = new HashMap<>();
    for (int row = 0; row < nanosOfRow.length; row++) {
      if (nanosOfRow[row] > 0) {
        calls
            .computeIfAbsent(index.trace().name(row), unseen -> new LongColumn())
            .add(nanosOfRow[row]);
      }
    }
    Map<String, Long> quartiles = new HashMap<>();
    calls.forEach(
        (name, column) -> {
          long[] sorted = new long[column.size()];
          Arrays.setAll(sorted, column::get);
          Arrays.sort(sorted);
          quartiles.put(name, sorted[sorted.length / 4]);
        });
    return quartiles;
  }
}
