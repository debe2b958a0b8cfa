package dev.pitwall.pass.fix;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.GraphBuilder;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.hardware.KernelCosts;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/// A graph being changed, with its nodes found by trace row. Node numbers are those of the graph it
/// started from.
final class GraphChange {
  /// Stream time between two kernels launched one after the other; what an inserted kernel keeps
  /// from its neighbours.
  private static final long KERNEL_GAP_NANOS = 1_000;

  /// What one launch call costs the host without a recorder.
  private static final long LAUNCH_NANOS = 5_000;

  private final ExecutionGraph graph;
  private final GraphBuilder edit;
  private final int[] firstNodeOfRow;
  private final int[] lastNodeOfRow;

  GraphChange(ExecutionGraph graph) {
    this.graph = graph;
    this.edit = graph.edit();
    int rows = 0;
    for (int node = 0; node < graph.nodes(); node++) {
      rows = Math.max(rows, graph.traceRow(node) + 1);
    }
    firstNodeOfRow = new int[rows];
    lastNodeOfRow = new int[rows];
    Arrays.fill(firstNodeOfRow, -1);
    Arrays.fill(lastNodeOfRow, -1);
    for (int node = 0; node < graph.nodes(); node++) {
      int row = graph.traceRow(node);
      if (row >= 0) {
        lastNodeOfRow[row] = node;
        if (firstNodeOfRow[row] < 0) {
          firstNodeOfRow[row] = node;
        }
      }
    }
  }

  GraphBuilder edit() {
    return edit;
  }

  ExecutionGraph graph() {
    return graph;
  }

  /// The first node made from this trace row that is still there, or -1.
  int nodeOf(int row) {
    int node = row >= 0 && row < firstNodeOfRow.length ? firstNodeOfRow[row] : -1;
    return node >= 0 && !edit.isRemoved(node) ? node : -1;
  }

  /// Removes every node whose trace row satisfies a condition.
  void removeRows(IntPredicate isGone) {
    for (int node = 0; node < graph.nodes(); node++) {
      int row = graph.traceRow(node);
      if (row >= 0 && isGone.test(row)) {
        edit.remove(node);
      }
    }
  }

  /// Removes all host nodes of one thread from the first to the last that was made from these rows
  /// of the thread, with the time of enclosing calls between them, and the device work they
  /// launched. Nodes that this change inserted stay.
  void removeThreadSpan(TraceIndex index, int firstRow, int endRow) {
    for (int node : threadSpan(firstRow, endRow)) {
      removeDeviceWorkOf(index, node);
      edit.remove(node);
    }
  }

  /// Puts modelled host time in place of all host nodes of one thread from the first to the last
  /// that was made from these rows. Device work launched there stays, without its launch.
  ///
  /// @return the launch that ends the new time, or -1 where there was no node
  int replaceHostTime(int firstRow, int endRow, double hostNanos, String label) {
    int[] span = threadSpan(firstRow, endRow);
    if (span.length == 0) {
      return -1;
    }
    edit.insertBefore(span[0], NodeKind.CPU_SEGMENT, Math.round(hostNanos), label);
    int launch = edit.insertBefore(span[0], NodeKind.LAUNCH, LAUNCH_NANOS, label);
    for (int node : span) {
      edit.remove(node);
    }
    return launch;
  }

  /// Host time of a span of one thread, waits excluded, in nanoseconds.
  long hostNanos(int firstRow, int endRow) {
    long nanos = 0;
    for (int node : threadSpan(firstRow, endRow)) {
      if (graph.kind(node) != NodeKind.HOST_WAIT) {
        nanos += edit.durationNanos(node);
      }
    }
    return nanos;
  }

  /// The nodes of one thread from the first to the last that was made from these rows of the
  /// thread, in order; inserted and removed ones are not among them.
  int[] threadSpan(int firstRow, int endRow) {
    int first = Integer.MAX_VALUE;
    int last = -1;
    for (int row = firstRow; row < Math.min(endRow, firstNodeOfRow.length); row++) {
      if (firstNodeOfRow[row] >= 0) {
        first = Math.min(first, firstNodeOfRow[row]);
        last = Math.max(last, lastNodeOfRow[row]);
      }
    }
    if (last < 0) {
      return new int[0];
    }
    int resource = graph.resource(first);
    return IntStream.rangeClosed(first, last)
        .filter(node -> graph.resource(node) == resource && !edit.isRemoved(node))
        .toArray();
  }

  private void removeDeviceWorkOf(TraceIndex index, int hostNode) {
    int row = graph.traceRow(hostNode);
    if (graph.kind(hostNode) != NodeKind.LAUNCH || row < 0) {
      return;
    }
    for (int device = index.launches().firstDeviceRow(row);
        device != Slices.NONE;
        device = index.launches().nextDeviceRow(device)) {
      int node = nodeOf(device);
      if (node >= 0) {
        edit.remove(node);
      }
    }
  }

  void scale(int node, double factor) {
    edit.scaleDuration(node, factor);
  }

  /// Puts an operator with one kernel right before a device node: the kernel on its stream, the
  /// host time of one operator before its launch.
  void insertOperatorBefore(int deviceNode, double kernelNanos, String label) {
    insertKernelBefore(deviceNode, kernelNanos, label);
    insertHostTimeBefore(deviceNode, label);
  }

  /// Puts a kernel right before a device node, without host time of its own.
  int insertKernelBefore(int deviceNode, double kernelNanos, String label) {
    int kernel = edit.insertBefore(deviceNode, NodeKind.KERNEL, Math.round(kernelNanos), label);
    edit.setOrderLagNanos(kernel, KERNEL_GAP_NANOS);
    return kernel;
  }

  /// Adds the host time of one operator before the launch of a device node.
  private void insertHostTimeBefore(int deviceNode, String label) {
    int launch = graph.launchOf(deviceNode);
    if (launch >= 0 && !edit.isRemoved(launch)) {
      edit.insertBefore(
          launch,
          NodeKind.CPU_SEGMENT,
          Math.round(KernelCosts.constant("operator_host_us") * 1e3),
          label);
    }
  }

  ExecutionGraph build() {
    return edit.build();
  }
}
