package dev.pitwall.station.tile;

import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.Track;
import java.util.Arrays;

/// The rows of one track dealt onto lanes so that no lane holds two slices at once: the nesting
/// depth of a CPU thread, or one lane more where the work of a stream overlaps.
///
/// Each slice takes the lowest lane that is free when it starts. Since a parent stands before its
/// children, that is the nesting depth wherever slices nest. Kernels of one stream overlap by a
/// little on recent devices (programmatic dependent launch): an overlap of up to a quarter of the
/// later slice stays on its lane.
final class Lanes {
  /// Deeper slices share the last lane; Python stacks reach about a hundred.
  static final int MAXIMUM_LANES = 160;

  private Lanes() {}

  /// The rows of each lane in order of start; at least one lane.
  static int[][] of(Trace trace, int track) {
    Slices slices = trace.slices();
    int first = trace.firstRow(track);
    int count = trace.endRow(track) - first;
    boolean toleratesOverlap = trace.tracks().get(track).kind() == Track.Kind.STREAM;
    byte[] laneOfRow = new byte[count];
    long[] laneEnd = new long[MAXIMUM_LANES];
    int[] laneSize = new int[MAXIMUM_LANES];
    Arrays.fill(laneEnd, Long.MIN_VALUE);
    int lanes = 1;
    for (int i = 0; i < count; i++) {
      long start = slices.startNanos(first + i);
      long duration = slices.durationNanos(first + i);
      long latestEnd = start + (toleratesOverlap ? duration / 4 : 0);
      int lane = 0;
      while (lane < MAXIMUM_LANES - 1 && laneEnd[lane] > latestEnd) {
        lane++;
      }
      laneEnd[lane] = Math.max(laneEnd[lane], start + duration);
      laneOfRow[i] = (byte) lane;
      laneSize[lane]++;
      lanes = Math.max(lanes, lane + 1);
    }
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
}
