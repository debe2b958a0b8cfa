package dev.pitwall.trace.kineto;

import dev.pitwall.trace.IntColumn;
import dev.pitwall.trace.LongColumn;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceBuilder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/// Pairs the two ends of `fwdbwd` flows. A flow names its slices by lane and time only; the
/// recorder writes it right behind the slice it belongs to, so the row just written is tried first
/// and the rest are searched at the end. `ac2g` flows are not needed: correlations say the same and
/// more.
final class FlowTable {
  private static final class Ends {
    final LongColumn flowId = new LongColumn();
    final IntColumn track = new IntColumn();
    final LongColumn timeNanos = new LongColumn();
    final IntColumn row = new IntColumn();
  }

  private final Ends forward = new Ends();
  private final Ends backward = new Ends();

  /// Notes one end; `row` is the slice it belongs to, [Slices#NONE] where that is not known yet.
  void add(boolean start, long flowId, int track, long timeNanos, int row) {
    Ends ends = start ? forward : backward;
    ends.flowId.add(flowId);
    ends.track.add(track);
    ends.timeNanos.add(timeNanos);
    ends.row.add(row);
  }

  /// Links every pair whose two slices are known.
  ///
  /// @return how many backward ends found no slice or no other end
  long linkAll(TraceBuilder builder) {
    findRows(forward, builder);
    findRows(backward, builder);
    Map<Long, Integer> forwardRowOfFlow = new HashMap<>();
    for (int i = 0; i < forward.row.size(); i++) {
      if (forward.row.get(i) != Slices.NONE) {
        forwardRowOfFlow.put(forward.flowId.get(i), forward.row.get(i));
      }
    }
    long unmatched = 0;
    for (int i = 0; i < backward.row.size(); i++) {
      Integer forwardRow = forwardRowOfFlow.get(backward.flowId.get(i));
      if (forwardRow != null && backward.row.get(i) != Slices.NONE) {
        builder.linkForwardBackward(forwardRow, backward.row.get(i));
      } else {
        unmatched++;
      }
    }
    return unmatched;
  }

  /// Finds the slices of the ends that stood apart from them: of several that start there, the last
  /// written, which is the innermost.
  private static void findRows(Ends ends, TraceBuilder builder) {
    long[] times = new long[ends.row.size()];
    int open = 0;
    for (int i = 0; i < ends.row.size(); i++) {
      if (ends.row.get(i) == Slices.NONE) {
        times[open++] = ends.timeNanos.get(i);
      }
    }
    if (open == 0) {
      return;
    }
    Arrays.sort(times, 0, open);
    record Place(int track, long timeNanos) {}
    Map<Place, Integer> rowAt = new HashMap<>();
    for (int row = 0; row < builder.slices(); row++) {
      long start = builder.startNanos(row);
      if (Arrays.binarySearch(times, 0, open, start) >= 0) {
        rowAt.put(new Place(builder.track(row), start), row);
      }
    }
    for (int i = 0; i < ends.row.size(); i++) {
      if (ends.row.get(i) == Slices.NONE) {
        Integer row = rowAt.get(new Place(ends.track.get(i), ends.timeNanos.get(i)));
        ends.row.set(i, row == null ? Slices.NONE : row);
      }
    }
  }
}
