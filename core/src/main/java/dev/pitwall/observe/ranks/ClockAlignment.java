package dev.pitwall.observe.ranks;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// How far each rank's clock is from the first rank's, from the ends of the collectives they share:
/// a collective ends on all its ranks at nearly the same moment, whenever they entered it.
///
/// @param ranks ranks, ascending; the first is the reference
/// @param offsetNanos what to take from a time of this rank to get the reference's; 0 for the
///     reference
/// @param errorNanos how far the collectives' ends scatter around that offset: median absolute
///     deviation times 1.4826 (one standard deviation of a normal error)
/// @param matched collectives that the offset rests on; 0 means the clocks could not be compared
public record ClockAlignment(int[] ranks, long[] offsetNanos, long[] errorNanos, int[] matched) {
  private static final double DEVIATION_OF_NORMAL = 1.4826;

  /// @param summaries in order of rank
  static ClockAlignment of(List<RankSummary> summaries) {
    int count = summaries.size();
    int[] ranks = new int[count];
    long[] offsets = new long[count];
    long[] errors = new long[count];
    int[] matched = new int[count];
    Map<String, Long> reference = new HashMap<>();
    for (RankSummary.Call call : summaries.getFirst().calls()) {
      reference.put(key(call), call.endNanos());
    }
    for (int i = 0; i < count; i++) {
      ranks[i] = summaries.get(i).rank();
      long[] differences =
          summaries.get(i).calls().stream()
              .filter(call -> reference.containsKey(key(call)))
              .mapToLong(call -> call.endNanos() - reference.getOrDefault(key(call), 0L))
              .toArray();
      matched[i] = differences.length;
      if (differences.length > 0) {
        long offset = median(differences);
        offsets[i] = offset;
        errors[i] =
            Math.round(
                DEVIATION_OF_NORMAL
                    * median(Arrays.stream(differences).map(d -> Math.abs(d - offset)).toArray()));
      }
    }
    return new ClockAlignment(ranks, offsets, errors, matched);
  }

  static String key(RankSummary.Call call) {
    return call.step() + " " + call.occurrence() + " " + call.kind();
  }

  static long median(long[] values) {
    long[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
  }
}
