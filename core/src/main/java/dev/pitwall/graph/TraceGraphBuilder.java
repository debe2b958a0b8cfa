package dev.pitwall.graph;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Steps;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.Track;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Builds a [TraceGraph]: the threads that matter become chains of host nodes ([HostNodes]), then
/// the calls that face the device are walked in order of time and their device work is hung below
/// them ([DeviceNodes]).
final class TraceGraphBuilder {
  final TraceIndex index;
  final Trace trace;
  final Slices slices;
  final GraphBuilder builder;
  final LongList measuredStartNanos = new LongList();
  final int[] nodeOfRow;
  final long windowStartNanos;
  final long windowEndNanos;

  TraceGraphBuilder(TraceIndex index) {
    this.index = index;
    trace = index.trace();
    slices = trace.slices();
    builder = new GraphBuilder(trace.names());
    nodeOfRow = new int[slices.size()];
    Arrays.fill(nodeOfRow, Slices.NONE);
    Steps steps = index.steps();
    windowStartNanos = steps.count() == 0 ? 0 : steps.startNanos()[0];
    windowEndNanos = steps.count() == 0 ? 0 : steps.endNanos()[steps.count() - 1];
    builder.steps(Math.max(1, steps.count()));
  }

  TraceGraph build() {
    HostNodes host = new HostNodes(this);
    host.add(mainThread(), workingThreads());
    DeviceNodes device = new DeviceNodes(this, host);
    device.add();
    ExecutionGraph graph = builder.build();
    long[] start = new long[graph.nodes()];
    long[] unexplained = new long[graph.nodes()];
    for (int node = 0; node < builder.nodes(); node++) {
      int number = builder.numberInGraph(node);
      start[number] = measuredStartNanos.get(node);
      unexplained[number] = device.unexplainedNanos(node);
    }
    int[] numberOfRow = new int[nodeOfRow.length];
    for (int row = 0; row < numberOfRow.length; row++) {
      numberOfRow[row] = nodeOfRow[row] < 0 ? -1 : builder.numberInGraph(nodeOfRow[row]);
    }
    return new TraceGraph(
        graph,
        index,
        windowStartNanos,
        start,
        unexplained,
        numberOfRow,
        device.orphanStartNanos(),
        device.orphanEndNanos());
  }

  /// Adds a node with its measured start.
  int addNode(
      NodeKind kind, int resource, long start, long end, int labelId, int row, Category category) {
    int step = Math.max(0, stepAt(start));
    int node = builder.add(kind, resource, Math.max(0, end - start), labelId, row, step, category);
    measuredStartNanos.add(start);
    if (row >= 0 && nodeOfRow[row] < 0) {
      nodeOfRow[row] = node;
    }
    return node;
  }

  /// The step at a moment, the one before it between two steps.
  int stepAt(long time) {
    long[] starts = index.steps().startNanos();
    int found = Arrays.binarySearch(starts, time);
    return found >= 0 ? found : -found - 2;
  }

  /// Whether a moment of the window lies between two steps.
  boolean isBetweenSteps(long start, long end) {
    int step = stepAt(start);
    return step >= 0
        && step + 1 < index.steps().count()
        && start >= index.steps().endNanos()[step]
        && end <= index.steps().startNanos()[step + 1];
  }

  /// The thread whose ranges are the steps; where they are inferred, the thread with most time in
  /// slices of the window.
  private int mainThread() {
    Steps steps = index.steps();
    int busiest = -1;
    long mostNanos = -1;
    for (Track track : trace.tracks()) {
      if (track.kind() != Track.Kind.CPU_THREAD) {
        continue;
      }
      long covered = 0;
      long until = Long.MIN_VALUE;
      for (int row = trace.firstRow(track.id()); row < trace.endRow(track.id()); row++) {
        if (steps.count() > 0
            && slices.startNanos(row) == steps.startNanos()[0]
            && slices.endNanos(row) == steps.endNanos()[0]
            && trace.name(row).startsWith(steps.name())) {
          return track.id();
        }
        long from = Math.max(until, slices.startNanos(row));
        if (slices.endNanos(row) > from && slices.category(row) != Category.OVERHEAD) {
          covered += slices.endNanos(row) - from;
          until = slices.endNanos(row);
        }
      }
      if (covered > mostNanos) {
        mostNanos = covered;
        busiest = track.id();
      }
    }
    return busiest;
  }

  /// Threads other than the main one that launch device work or run autograd in the window.
  private List<Integer> workingThreads() {
    List<Integer> threads = new ArrayList<>();
    int main = mainThread();
    for (Track track : trace.tracks()) {
      if (track.kind() == Track.Kind.CPU_THREAD && track.id() != main && works(track.id())) {
        threads.add(track.id());
      }
    }
    return threads;
  }

  private boolean works(int track) {
    for (int row = trace.firstRow(track); row < trace.endRow(track); row++) {
      if (slices.startNanos(row) < windowStartNanos || slices.startNanos(row) >= windowEndNanos) {
        continue;
      }
      if (index.launches().firstDeviceRow(row) != Slices.NONE
          || (slices.category(row) == Category.CPU_OP
              && trace.name(row).startsWith("autograd::"))) {
        return true;
      }
    }
    return false;
  }
}
