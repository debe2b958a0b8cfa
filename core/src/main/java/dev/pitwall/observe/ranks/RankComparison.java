package dev.pitwall.observe.ranks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToLongFunction;

/// The ranks of a job compared.
///
/// @param clocks how the ranks' clocks differ
/// @param stragglers ranks that cost the others at least 3 % of a step, costliest first
/// @param latest the rank that cost the others most, step by step
/// @param missing collectives that single ranks lack
/// @param matchedCollectives collectives found on two ranks or more
/// @param path what the job waited for, step by step
public record RankComparison(
    ClockAlignment clocks,
    List<Straggler> stragglers,
    List<LateRank> latest,
    List<MissingCollective> missing,
    int matchedCollectives,
    JobPath path) {
  private static final double SMALLEST_SHARE_OF_STEP = 0.03;

  public RankComparison {
    stragglers = List.copyOf(stragglers);
    latest = List.copyOf(latest);
    missing = List.copyOf(missing);
  }

  /// @param summaries one a rank, at least two, in any order
  public static RankComparison of(List<RankSummary> summaries) {
    if (summaries.size() < 2) {
      throw new IllegalArgumentException("a comparison needs two ranks");
    }
    List<RankSummary> ranks =
        summaries.stream().sorted(Comparator.comparingInt(RankSummary::rank)).toList();
    List<MissingCollective> missing = new ArrayList<>();
    ClockAlignment clocks = ClockAlignment.of(ranks);
    MatchedCollectives matched =
        new MatchedCollectives(alignOccurrences(ranks, clocks, missing), clocks);
    int steps = ranks.stream().mapToInt(rank -> rank.steps().size()).min().orElse(0);
    long[][] waited = matched.waitedNanos(steps);
    return new RankComparison(
        clocks,
        stragglers(ranks, waited, steps),
        latest(ranks, waited, steps),
        missing,
        matched.count(),
        JobPath.of(ranks, clocks, matched));
  }

  /// The rank that cost the others most in each step.
  private static List<LateRank> latest(List<RankSummary> ranks, long[][] waited, int steps) {
    List<LateRank> latest = new ArrayList<>();
    for (int step = 0; step < steps; step++) {
      int late = 0;
      for (int rank = 1; rank < waited.length; rank++) {
        late = waited[rank][step] > waited[late][step] ? rank : late;
      }
      latest.add(
          new LateRank(
              step,
              ranks.get(late).rank(),
              waited[late][step],
              cause(ranks, late, waited[late][step], step, step + 1)));
    }
    return latest;
  }

  private static List<Straggler> stragglers(List<RankSummary> ranks, long[][] waited, int steps) {
    List<Straggler> stragglers = new ArrayList<>();
    if (steps == 0) {
      return stragglers;
    }
    long[] totals = Arrays.stream(waited).mapToLong(row -> Arrays.stream(row).sum()).toArray();
    long typicalTotal = ClockAlignment.median(totals);
    for (int i = 0; i < ranks.size(); i++) {
      long perStep = totals[i] / steps;
      long stepNanos =
          ranks.get(i).steps().stream().mapToLong(s -> s.endNanos() - s.startNanos()).sum()
              / Math.max(1, ranks.get(i).steps().size());
      if (perStep < SMALLEST_SHARE_OF_STEP * stepNanos
          || (ranks.size() > 2 && totals[i] < 3 * typicalTotal)
          || (ranks.size() == 2 && totals[i] < 2 * totals[1 - i])) {
        continue;
      }
      int worst = 0;
      for (int step = 1; step < steps; step++) {
        worst = waited[i][step] > waited[i][worst] ? step : worst;
      }
      Straggler.Cause cause = cause(ranks, i, perStep, 0, steps);
      stragglers.add(
          new Straggler(
              ranks.get(i).rank(), perStep, worst, cause, ownNanos(ranks, i, cause, steps)));
    }
    stragglers.sort(Comparator.comparingLong(Straggler::waitedNanosPerStep).reversed());
    return stragglers;
  }

  private static Straggler.Cause cause(
      List<RankSummary> ranks, int late, long perStep, int fromStep, int toStep) {
    long compute = excess(ranks, late, fromStep, toStep, RankSummary.Step::computeNanos);
    long input = excess(ranks, late, fromStep, toStep, RankSummary.Step::inputNanos);
    long copy = excess(ranks, late, fromStep, toStep, RankSummary.Step::copyNanos);
    long most = Math.max(compute, Math.max(input, copy));
    if (most < perStep / 2) {
      return Straggler.Cause.HOST;
    }
    if (most == compute) {
      return Straggler.Cause.DEVICE;
    }
    return most == input ? Straggler.Cause.INPUT : Straggler.Cause.COPY;
  }

  /// What the cause takes this rank beyond its peers, in the step in which that is least.
  private static long ownNanos(
      List<RankSummary> ranks, int late, Straggler.Cause cause, int steps) {
    ToLongFunction<RankSummary.Step> spent =
        switch (cause) {
          case DEVICE -> RankSummary.Step::computeNanos;
          case INPUT -> RankSummary.Step::inputNanos;
          case COPY -> RankSummary.Step::copyNanos;
          case HOST -> RankSummary.Step::pythonNanos;
        };
    long least = Long.MAX_VALUE;
    for (int step = 0; step < steps; step++) {
      least = Math.min(least, excess(ranks, late, step, step + 1, spent));
    }
    return Math.max(0, least);
  }

  /// What this rank spends per step beyond the median of the others.
  private static long excess(
      List<RankSummary> ranks,
      int late,
      int fromStep,
      int toStep,
      ToLongFunction<RankSummary.Step> spent) {
    long[] others = new long[ranks.size() - 1];
    long own = 0;
    int at = 0;
    for (int i = 0; i < ranks.size(); i++) {
      long sum = 0;
      for (int step = fromStep; step < toStep; step++) {
        sum += spent.applyAsLong(ranks.get(i).steps().get(step));
      }
      if (i == late) {
        own = sum;
      } else {
        others[at++] = sum;
      }
    }
    return (own - ClockAlignment.median(others)) / (toStep - fromStep);
  }

  /// Gives every rank's calls the occurrence numbers of the fullest rank: where a rank has fewer of
  /// a kind in a step than most (none counts where it has some in other steps), its calls are
  /// matched to theirs in time, and those left over are missing.
  private static List<List<RankSummary.Call>> alignOccurrences(
      List<RankSummary> ranks, ClockAlignment clocks, List<MissingCollective> missing) {
    List<List<RankSummary.Call>> aligned = new ArrayList<>();
    Map<String, Map<Integer, List<RankSummary.Call>>> byKind = new TreeMap<>();
    Map<String, Set<Integer>> members = new HashMap<>();
    for (int i = 0; i < ranks.size(); i++) {
      aligned.add(new ArrayList<>());
      for (RankSummary.Call call : ranks.get(i).calls()) {
        members.computeIfAbsent(call.kind(), unseen -> new TreeSet<>()).add(i);
        byKind
            .computeIfAbsent(call.step() + " " + call.kind(), unseen -> new TreeMap<>())
            .computeIfAbsent(i, unseen -> new ArrayList<>())
            .add(call);
      }
    }
    for (Map<Integer, List<RankSummary.Call>> calls : byKind.values()) {
      RankSummary.Call one = calls.values().iterator().next().getFirst();
      boolean inStep = one.step() >= 0;
      for (int member : inStep ? members.getOrDefault(one.kind(), Set.of()) : Set.<Integer>of()) {
        if (one.step() < ranks.get(member).steps().size()) {
          calls.computeIfAbsent(member, unseen -> new ArrayList<>());
        }
      }
      int usual = usualCount(calls);
      List<RankSummary.Call> pattern =
          calls.entrySet().stream()
              .filter(entry -> entry.getValue().size() == usual)
              .findFirst()
              .map(
                  entry ->
                      entry.getValue().stream()
                          .map(call -> call.shifted(-clocks.offsetNanos()[entry.getKey()]))
                          .toList())
              .orElse(List.of());
      calls.forEach(
          (i, own) ->
              aligned
                  .get(i)
                  .addAll(
                      own.size() >= usual || !inStep
                          ? own
                          : matchInTime(
                              ranks.get(i).rank(),
                              own,
                              clocks.offsetNanos()[i],
                              pattern,
                              missing)));
    }
    return aligned;
  }

  private static int usualCount(Map<Integer, List<RankSummary.Call>> calls) {
    Map<Integer, Integer> ranksWithCount = new TreeMap<>();
    calls.values().forEach(own -> ranksWithCount.merge(own.size(), 1, Integer::sum));
    return ranksWithCount.entrySet().stream()
        .max(
            Map.Entry.<Integer, Integer>comparingByValue()
                .thenComparing(Map.Entry.comparingByKey()))
        .map(Map.Entry::getKey)
        .orElse(0);
  }

  private static List<RankSummary.Call> matchInTime(
      int rank,
      List<RankSummary.Call> own,
      long offset,
      List<RankSummary.Call> pattern,
      List<MissingCollective> missing) {
    List<RankSummary.Call> matched = new ArrayList<>();
    int at = 0;
    for (int i = 0; i < pattern.size(); i++) {
      RankSummary.Call expected = pattern.get(i);
      int left = own.size() - at;
      int wanted = pattern.size() - i;
      boolean skip = left == 0;
      if (!skip && left < wanted && i + 1 < pattern.size()) {
        long end = own.get(at).endNanos() - offset;
        skip = Math.abs(end - pattern.get(i + 1).endNanos()) < Math.abs(end - expected.endNanos());
      }
      if (skip) {
        missing.add(
            new MissingCollective(rank, expected.label(), expected.step(), expected.startNanos()));
      } else {
        RankSummary.Call call = own.get(at++);
        matched.add(call.withOccurrence(expected.occurrence()));
      }
    }
    return matched;
  }
}
