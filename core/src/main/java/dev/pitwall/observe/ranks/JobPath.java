package dev.pitwall.observe.ranks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The critical path of a job across its ranks, step by step: what the job was waiting for at every
/// moment. A step begins when the last rank is done with the one before and ends when the last rank
/// is done with it.
///
/// The path is walked from the end. On a rank it follows what the device did; where a collective
/// ran alone, the rank waited for its last member, so the path goes on there, before that rank
/// came:
///
/// ```
/// rank 0  |compute|all-reduce ..............|   path:   <--wire--|
/// rank 1  |compute|host late        |all-red|           compute, host late (rank 1)
/// ```
///
/// @param steps one entry a step that all ranks recorded
public record JobPath(List<Step> steps) {
  public JobPath {
    steps = List.copyOf(steps);
  }

  /// One step of the job.
  ///
  /// @param nanos from the end of the step before on the last rank to its own end on the last rank
  /// @param shares what the path is made of; the parts sum to `nanos`
  public record Step(int step, long nanos, List<Share> shares) {
    public Step {
      shares = List.copyOf(shares);
    }

    /// The rank that the job is on for most of the step.
    public int holder() {
      int[] ranks = shares.stream().mapToInt(Share::rank).distinct().toArray();
      int holder = -1;
      double most = -1;
      for (int rank : ranks) {
        if (nanosOn(rank) > most) {
          most = nanosOn(rank);
          holder = rank;
        }
      }
      return holder;
    }

    /// How long the job is on a rank, collectives left out: those are of all.
    public double nanosOn(int rank) {
      return shares.stream()
          .filter(share -> share.rank() == rank && share.activity() != Activity.COMMUNICATION)
          .mapToDouble(Share::nanos)
          .sum();
    }

    /// How long the path is made of an activity, on any rank.
    public double nanosOf(Activity activity) {
      return shares.stream()
          .filter(share -> share.activity() == activity)
          .mapToDouble(Share::nanos)
          .sum();
    }
  }

  /// A part of a step's path: one activity of one rank.
  public record Share(int rank, Activity activity, double nanos) {}

  /// @param ranks in the order of `clocks`
  static JobPath of(List<RankSummary> ranks, ClockAlignment clocks, MatchedCollectives matched) {
    int steps = ranks.stream().mapToInt(rank -> rank.activity().steps()).min().orElse(0);
    List<Step> paths = new ArrayList<>();
    if (matched.count() == 0) {
      return new JobPath(paths);
    }
    Walk walk = new Walk(ranks, clocks, matched);
    for (int step = 0; step < steps; step++) {
      int last = 0;
      long begin = Long.MIN_VALUE;
      for (int rank = 0; rank < ranks.size(); rank++) {
        last = walk.stepEnd(rank, step + 1) > walk.stepEnd(last, step + 1) ? rank : last;
        begin = Math.max(begin, walk.stepEnd(rank, step));
      }
      long end = walk.stepEnd(last, step + 1);
      if (end > begin) {
        paths.add(new Step(step, end - begin, walk.back(last, end, begin)));
      }
    }
    return new JobPath(paths);
  }

  /// The way back through the ranks; times are the reference's.
  private static final class Walk {
    private final List<RankSummary> ranks;
    private final long[] offsets;
    private final MatchedCollectives matched;

    Walk(List<RankSummary> ranks, ClockAlignment clocks, MatchedCollectives matched) {
      this.ranks = ranks;
      this.offsets = clocks.offsetNanos();
      this.matched = matched;
    }

    long stepEnd(int rank, int boundary) {
      return ranks.get(rank).activity().stepEnds()[boundary] - offsets[rank];
    }

    List<Share> back(int lastRank, long end, long begin) {
      double[][] spent = new double[ranks.size()][];
      int rank = lastRank;
      long time = end;
      boolean jumpedInVain = false;
      while (time > begin) {
        RankActivity activity = ranks.get(rank).activity();
        int stretch = activity.stretchBefore(time + offsets[rank]);
        long from = begin;
        long call = RankActivity.NO_CALL;
        if (stretch >= 0) {
          from = Math.max(begin, activity.moments()[stretch] - offsets[rank]);
          call = activity.callOf()[stretch];
        }
        int lateRank = call == RankActivity.NO_CALL ? -1 : matched.lastRank(rank, call);
        long lateStart = lateRank < 0 ? Long.MIN_VALUE : matched.lastStart(rank, call);
        if (lateRank >= 0
            && lateRank != rank
            && lateStart > from
            && !(jumpedInVain && lateStart >= time)) {
          jumpedInVain = lateStart >= time;
          long until = Math.min(time, lateStart);
          of(spent, rank)[Activity.COMMUNICATION.ordinal()] += time - until;
          time = until;
          rank = lateRank;
        } else {
          jumpedInVain = false;
          activity.addSpent(from + offsets[rank], time + offsets[rank], of(spent, rank));
          time = from;
        }
      }
      return shares(spent);
    }

    private static double[] of(double[][] spent, int rank) {
      if (spent[rank] == null) {
        spent[rank] = new double[Activity.values().length];
      }
      return spent[rank];
    }

    private List<Share> shares(double[][] spent) {
      List<Share> shares = new ArrayList<>();
      for (int rank = 0; rank < spent.length; rank++) {
        if (spent[rank] != null && Arrays.stream(spent[rank]).anyMatch(nanos -> nanos != 0)) {
          for (Activity activity : Activity.values()) {
            if (spent[rank][activity.ordinal()] != 0) {
              shares.add(
                  new Share(ranks.get(rank).rank(), activity, spent[rank][activity.ordinal()]));
            }
          }
        }
      }
      return shares;
    }
  }
}
