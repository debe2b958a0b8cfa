package dev.pitwall.station.tile;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.Track;
import java.util.Arrays;
import java.util.function.IntPredicate;

/// The rows of one track dealt onto lanes so that no lane holds two slices at once: the nesting
/// depth of a CPU thread, or one lane more where the work of a stream overlaps.
///
/// Each slice takes the lowest lane that is free when it starts. Since a parent stands before its
/// children, that is the nesting depth wherever slices nest. Kernels of one stream overlap by a
/// little on recent devices (programmatic dependent launch): an overlap of up to a quarter of the
/// later slice stays on its lane. The recorder's copies of annotations on a stream lie on lanes of
/// their own below the work, so that work keeps its lane.
final class Lanes {
  /// Deeper slices share the last lane; Python stacks reach about a hundred.
  static final int MAXIMUM_LANES = 160;

  private Lanes() {}

  /// The rows of each lane in order of start; at least one lane.
  static int[][] of(Trace trace, int track) {
    Slices slices = trace.slices();
    int first = trace.firstRow(track);
    int count = trace.endRow(track) - first;
    boolean stream = trace.tracks().get(track).kind() == Track.Kind.STREAM;
    byte[] laneOfRow = new byte[count];
    int[] laneSize = new int[MAXIMUM_LANES];
    int lanes =
        deal(slices, first, laneOfRow, laneSize, 0, stream, row -> !stream || isWork(slices, row));
    if (stream) {
      lanes = deal(slices, first, laneOfRow, laneSize, lanes, true, row -> !isWork(slices, row));
    }
    lanes = Math.max(lanes, 1);
    int[][] rows = new int[lanes][];
    for (int lane = 0; lane < lanes; lane++) {
      rows[lane] = new int[laneSize[lane]];
    }
    int[] next = new int[lanes];
    for (int i = 0; i < count; i++) {
      int lane = laneOfRow[i] & 0xff;
      rows[lane][next[lane]++] = first + i;
    }
    return rows;
  }

  private static boolean isWork(Slices slices, int row) {
    return slices.category(row) != Category.GPU_USER_ANNOTATION;
  }

  /// Deals the wanted rows onto lanes from `firstLane` on and returns the first lane after them.
  private static int deal(
      Slices slices,
      int firstRow,
      byte[] laneOfRow,
      int[] laneSize,
      int firstLane,
      boolean toleratesOverlap,
      IntPredicate wanted) {
    long[] laneEnd = new long[MAXIMUM_LANES];
    Arrays.fill(laneEnd, Long.MIN_VALUE);
    int lanes = firstLane;
    for (int i = 0; i < laneOfRow.length; i++) {
      int row = firstRow + i;
      if (!wanted.test(row)) {
        continue;
      }
      long start = slices.startNanos(row);
      long duration = slices.durationNanos(row);
      long latestEnd = start + (toleratesOverlap ? duration / 4 : 0);
      int lane = Math.min(firstLane, MAXIMUM_LANES - 1);
      while (lane < MAXIMUM_LANES - 1 && laneEnd[lane] > latestEnd) {
        lane++;
      }
      laneEnd[lane] = Math.max(laneEnd[lane], start + duration);
      laneOfRow[i] = (byte) lane;
      laneSize[lane]++;
      lanes = Math.max(lanes, lane + 1);
    }
    return lanes;
  }
}
