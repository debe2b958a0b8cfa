package dev.pitwall.study;

import dev.pitwall.graph.EdgeKind;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.TraceGraph;
import dev.pitwall.simulate.CriticalPath;
import dev.pitwall.trace.Category;

/// What a stretch of a step's critical path is spent on.
public enum StepCause {
  KERNELS("kernels"),
  COMMUNICATION("exposed communication"),
  COPIES("exposed copies and fills"),
  KERNEL_GAPS("gaps between kernels"),
  OPERATORS("operators on the CPU"),
  API_CALLS("runtime calls"),
  PYTHON("Python and everything outside operators"),
  LAUNCH_LATENCY("from launch to start"),
  HOST_SYNC("host waiting for the device"),
  INPUT("waiting for input"),
  QUEUE_FULL("full launch queue"),
  THREAD_HAND_OVER("handing over between threads");

  private final String label;

  StepCause(String label) {
    this.label = label;
  }

  public String label() {
    return label;
  }

  /// Whether the host, not the device, spends this time.
  public boolean isHost() {
    return ordinal() >= OPERATORS.ordinal();
  }

  static StepCause of(ExecutionGraph graph, CriticalPath.Piece piece) {
    EdgeKind waitsFor = piece.waitsFor();
    if (waitsFor != null) {
      return switch (waitsFor) {
        case STREAM_ORDER, EVENT_WAIT -> KERNEL_GAPS;
        case LAUNCH -> LAUNCH_LATENCY;
        case HOST_SYNC -> HOST_SYNC;
        case QUEUE_FULL -> QUEUE_FULL;
        case RENDEZVOUS -> COMMUNICATION;
        case PROGRAM_ORDER, HAND_OVER -> THREAD_HAND_OVER;
      };
    }
    int node = piece.node();
    return switch (graph.kind(node)) {
      case KERNEL -> KERNELS;
      case COLLECTIVE -> COMMUNICATION;
      case MEMCPY, MEMSET -> COPIES;
      case LAUNCH, API_CALL -> API_CALLS;
      case HOST_WAIT -> HOST_SYNC;
      case CPU_SEGMENT ->
          graph.label(node).equals(TraceGraph.INPUT)
              ? INPUT
              : graph.category(node) == Category.CPU_OP ? OPERATORS : PYTHON;
    };
  }
}
