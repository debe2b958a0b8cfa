package dev.pitwall.observe.ranks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The collectives of a job, each with when every rank entered it, on the reference's clock.
final class MatchedCollectives {
  /// A rank did not take part.
  static final long ABSENT = Long.MIN_VALUE;

  private final List<long[]> starts = new ArrayList<>();
  private final List<long[]> exposed = new ArrayList<>();
  private final List<Integer> stepOf = new ArrayList<>();
  private final List<Integer> lastRank = new ArrayList<>();

  /// By rank, the collective that starts at a time of its own clock.
  private final List<Map<Long, Integer>> byStart = new ArrayList<>();

  private final int count;

  /// @param aligned by rank, its calls, numbered so that equal keys are one collective
  MatchedCollectives(List<List<RankSummary.Call>> aligned, ClockAlignment clocks) {
    Map<String, Integer> ids = new HashMap<>();
    for (int rank = 0; rank < aligned.size(); rank++) {
      Map<Long, Integer> own = new HashMap<>();
      for (RankSummary.Call call : aligned.get(rank)) {
        int id = ids.computeIfAbsent(ClockAlignment.key(call), unseen -> ids.size());
        if (id == starts.size()) {
          long[] row = new long[aligned.size()];
          Arrays.fill(row, ABSENT);
          starts.add(row);
          exposed.add(new long[aligned.size()]);
          stepOf.add(call.step());
        }
        starts.get(id)[rank] = call.startNanos() - clocks.offsetNanos()[rank];
        exposed.get(id)[rank] = call.exposedNanos();
        own.put(call.startNanos(), id);
      }
      byStart.add(own);
    }
    int shared = 0;
    for (long[] row : starts) {
      int last = -1;
      int present = 0;
      for (int rank = 0; rank < row.length; rank++) {
        if (row[rank] != ABSENT) {
          present++;
          last = last < 0 || row[rank] > row[last] ? rank : last;
        }
      }
      lastRank.add(present < 2 ? -1 : last);
      shared += present < 2 ? 0 : 1;
    }
    count = shared;
  }

  /// Collectives found on two ranks or more.
  int count() {
    return count;
  }

  /// The rank (its place, not its number) that came last to the collective that a rank began at a
  /// time of its own clock; -1 where no other rank was in it.
  int lastRank(int rank, long ownStart) {
    Integer id = byStart.get(rank).get(ownStart);
    return id == null ? -1 : lastRank.get(id);
  }

  /// When that rank came.
  long lastStart(int rank, long ownStart) {
    Integer id = byStart.get(rank).get(ownStart);
    return id == null || lastRank.get(id) < 0 ? ABSENT : starts.get(id)[lastRank.get(id)];
  }

  /// By rank and step, what the typical other rank waited for it with nothing else to run.
  long[][] waitedNanos(int steps) {
    long[][] waited = new long[byStart.size()][Math.max(1, steps)];
    for (int id = 0; id < starts.size(); id++) {
      int last = lastRank.get(id);
      int step = stepOf.get(id);
      if (last < 0 || step < 0 || step >= steps) {
        continue;
      }
      long[] row = starts.get(id);
      long[] others = new long[row.length];
      int size = 0;
      for (int rank = 0; rank < row.length; rank++) {
        if (row[rank] != ABSENT && rank != last) {
          others[size++] = Math.min(row[last] - row[rank], exposed.get(id)[rank]);
        }
      }
      waited[last][step] += ClockAlignment.median(Arrays.copyOf(others, size));
    }
    return waited;
  }
}
