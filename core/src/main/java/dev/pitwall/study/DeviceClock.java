package dev.pitwall.study;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.graph.TraceGraph;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import java.util.Arrays;

/// How the speed of the device changed around the recorded window, told from the same kernels at
/// different times.
///
/// The recorder starts after a pause in which the device cools. A program near the power limit then
/// runs fast for a moment, too slow when the limit bites, and settles after the window. The work
/// from before the window (orphans) is the tail of an equal step, so its kernels are laid against
/// those of each step from the end:
///
/// ```
///   orphans            ... k7 k8 k9 |
///   step 1   k1 k2 k3  ... k7 k8 k9 |      orphans / steps = 0.91: the device was slowing down
///   step 2   k1 k2 k3  ... k7 k8 k9 |
/// ```
///
/// @param factor by what to multiply the recorded kernel times
/// @param spread relative difference between the fastest and the slowest of what was compared
record DeviceClock(double factor, double spread) {
  static final DeviceClock STEADY = new DeviceClock(1, 0);

  /// Less than this is noise of equal kernels.
  private static final double LEAST_SPREAD = 0.015;

  /// Less of a step than this says nothing of its whole.
  private static final double LEAST_SHARE = 0.2;

  static DeviceClock of(TraceGraph traced) {
    ExecutionGraph graph = traced.graph();
    int stream = busiestStream(graph);
    if (stream < 0 || hasCollectives(graph)) {
      return STEADY;
    }
    int[][] steps = kernelRowsByStep(graph, stream);
    int[] before = orphanRows(traced, graph.resources().get(stream).track());
    double shortest = Double.MAX_VALUE;
    double longest = 0;
    double ownTotal = 0;
    for (int[] step : steps) {
      double total = total(traced, step, step.length);
      if (step.length != steps[0].length || matching(traced, step, steps[0]) < step.length) {
        return STEADY;
      }
      shortest = Math.min(shortest, total);
      longest = Math.max(longest, total);
      ownTotal += total / steps.length;
    }
    double factor = 1;
    int matching = matching(traced, before, steps[steps.length - 1]);
    double compared = total(traced, steps[steps.length - 1], matching);
    if (ownTotal > 0 && compared > LEAST_SHARE * ownTotal) {
      double mean = 0;
      for (int[] step : steps) {
        mean += total(traced, step, matching) / steps.length;
      }
      factor = total(traced, before, matching) / mean;
      shortest = Math.min(shortest, factor * ownTotal);
      longest = Math.max(longest, factor * ownTotal);
    }
    double spread = ownTotal > 0 ? (longest - shortest) / ownTotal : 0;
    return spread < LEAST_SPREAD ? STEADY : new DeviceClock(factor, spread);
  }

  /// Kernels beside a collective are slower for sharing the device; that is no clock.
  private static boolean hasCollectives(ExecutionGraph graph) {
    for (int node = 0; node < graph.nodes(); node++) {
      if (graph.kind(node) == NodeKind.COLLECTIVE) {
        return true;
      }
    }
    return false;
  }

  private static int busiestStream(ExecutionGraph graph) {
    long[] nanos = new long[graph.resources().size()];
    int busiest = -1;
    for (int node = 0; node < graph.nodes(); node++) {
      if (graph.kind(node) == NodeKind.KERNEL) {
        int resource = graph.resource(node);
        nanos[resource] += graph.durationNanos(node);
        if (busiest < 0 || nanos[resource] > nanos[busiest]) {
          busiest = resource;
        }
      }
    }
    return busiest;
  }

  private static int[][] kernelRowsByStep(ExecutionGraph graph, int stream) {
    int[][] rows = new int[graph.steps()][16];
    int[] count = new int[graph.steps()];
    for (int node = 0; node < graph.nodes(); node++) {
      if (graph.kind(node) == NodeKind.KERNEL && graph.resource(node) == stream) {
        int step = graph.step(node);
        if (count[step] == rows[step].length) {
          rows[step] = Arrays.copyOf(rows[step], count[step] * 2);
        }
        rows[step][count[step]++] = graph.traceRow(node);
      }
    }
    for (int step = 0; step < rows.length; step++) {
      rows[step] = Arrays.copyOf(rows[step], count[step]);
    }
    return rows;
  }

  private static int[] orphanRows(TraceGraph traced, int track) {
    Slices slices = traced.index().trace().slices();
    int first = traced.index().trace().firstRow(track);
    int end = traced.index().trace().endRow(track);
    int[] rows = new int[end - first];
    int count = 0;
    for (int row = first; row < end; row++) {
      if (slices.category(row) == Category.KERNEL
          && traced.index().launches().launchOf(row) == Slices.NONE) {
        rows[count++] = row;
      }
    }
    return Arrays.copyOf(rows, count);
  }

  /// How many kernels of both lists have the same name, counted from the end.
  private static int matching(TraceGraph traced, int[] a, int[] b) {
    Slices slices = traced.index().trace().slices();
    int matching = 0;
    while (matching < Math.min(a.length, b.length)
        && slices.nameId(a[a.length - 1 - matching]) == slices.nameId(b[b.length - 1 - matching])) {
      matching++;
    }
    return matching;
  }

  private static double total(TraceGraph traced, int[] rows, int fromEnd) {
    Slices slices = traced.index().trace().slices();
    long total = 0;
    for (int at = rows.length - fromEnd; at < rows.length; at++) {
      total += slices.durationNanos(rows[at]);
    }
    return total;
  }
}
