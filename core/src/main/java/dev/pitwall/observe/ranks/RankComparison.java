package dev.pitwall.observe.ranks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The ranks of a job compared.
///
/// @param clocks how the ranks' clocks differ
/// @param stragglers ranks that cost the others at least 3 % of a step, costliest first
/// @param missing collectives that single ranks lack
/// @param matchedCollectives collectives that all their ranks were found in
public record RankComparison(
    ClockAlignment clocks,
    List<Straggler> stragglers,
    List<MissingCollective> missing,
    int matchedCollectives) {
  private static final double SMALLEST_SHARE_OF_STEP = 0.03;

  public RankComparison {
    stragglers = List.copyOf(stragglers);
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
    List<List<RankSummary.Call>> aligned = alignOccurrences(ranks, clocks, missing);
    Map<String, long[]> starts = new LinkedHashMap<>();
    Map<String, long[]> exposed = new LinkedHashMap<>();
    Map<String, Integer> stepOf = new LinkedHashMap<>();
    for (int i = 0; i < ranks.size(); i++) {
      for (RankSummary.Call call : aligned.get(i)) {
        String key = ClockAlignment.key(call);
        long[] row = starts.computeIfAbsent(key, unseen -> emptyRow(ranks.size()));
        row[i] = call.startNanos() - clocks.offsetNanos()[i];
        exposed.computeIfAbsent(key, unseen -> new long[ranks.size()])[i] = call.exposedNanos();
        stepOf.put(key, call.step());
      }
    }
    int steps = ranks.stream().mapToInt(rank -> rank.steps().size()).min().orElse(0);
    long[][] waited = new long[ranks.size()][Math.max(1, steps)];
    int matched = 0;
    for (Map.Entry<String, long[]> entry : starts.entrySet()) {
      matched +=
          blame(
              entry.getValue(),
              exposed.getOrDefault(entry.getKey(), new long[ranks.size()]),
              stepOf.getOrDefault(entry.getKey(), -1),
              steps,
              waited);
    }
    return new RankComparison(clocks, stragglers(ranks, waited, steps), missing, matched);
  }

  /// Charges the last rank to enter a collective with the time the typical rank waited for it while
  /// nothing else ran there.
  private static int blame(long[] starts, long[] exposed, int step, int steps, long[][] waited) {
    long[] present = Arrays.stream(starts).filter(start -> start != Long.MIN_VALUE).toArray();
    if (present.length < 2) {
      return 0;
    }
    if (step >= 0 && step < steps) {
      int last = -1;
      for (int i = 0; i < starts.length; i++) {
        if (starts[i] != Long.MIN_VALUE && (last < 0 || starts[i] > starts[last])) {
          last = i;
        }
      }
      long[] others = new long[present.length - 1];
      int at = 0;
      for (int i = 0; i < starts.length; i++) {
        if (starts[i] != Long.MIN_VALUE && i != last) {
          others[at++] = Math.min(starts[last] - starts[i], exposed[i]);
        }
      }
      waited[last][step] += ClockAlignment.median(others);
    }
    return 1;
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
      stragglers.add(
          new Straggler(ranks.get(i).rank(), perStep, worst, cause(ranks, i, perStep, steps)));
    }
    stragglers.sort(Comparator.comparingLong(Straggler::waitedNanosPerStep).reversed());
    return stragglers;
  }

  private static Straggler.Cause cause(List<RankSummary> ranks, int late, long perStep, int steps) {
    long compute = excess(ranks, late, steps, true);
    long input = excess(ranks, late, steps, false);
    if (compute >= perStep / 2 && compute >= input) {
      return Straggler.Cause.DEVICE;
    }
    return input >= perStep / 2 ? Straggler.Cause.INPUT : Straggler.Cause.HOST;
  }

  /// What this rank spends per step beyond the median of the others.
  private static long excess(List<RankSummary> ranks, int late, int steps, boolean compute) {
    long[] others = new long[ranks.size() - 1];
    long own = 0;
    int at = 0;
    for (int i = 0; i < ranks.size(); i++) {
      long sum =
          ranks.get(i).steps().stream()
              .limit(steps)
              .mapToLong(step -> compute ? step.computeNanos() : step.inputNanos())
              .sum();
      if (i == late) {
        own = sum;
      } else {
        others[at++] = sum;
      }
    }
    return (own - ClockAlignment.median(others)) / steps;
  }

  /// Gives every rank's calls the occurrence numbers of the fullest rank: where a rank has fewer of
  // a
  /// kind in a step than most, its calls are matched to theirs in time, and those left over are
  // missing.
  private static List<List<RankSummary.Call>> alignOccurrences(
      List<RankSummary> ranks, ClockAlignment clocks, List<MissingCollective> missing) {
    List<List<RankSummary.Call>> aligned = new ArrayList<>();
    Map<String, Map<Integer, List<RankSummary.Call>>> byKind = new TreeMap<>();
    for (int i = 0; i < ranks.size(); i++) {
      aligned.add(new ArrayList<>());
      for (RankSummary.Call call : ranks.get(i).calls()) {
        byKind
            .computeIfAbsent(call.step() + " " + call.kind(), unseen -> new TreeMap<>())
            .computeIfAbsent(i, unseen -> new ArrayList<>())
            .add(call);
      }
    }
    for (Map<Integer, List<RankSummary.Call>> calls : byKind.values()) {
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
                      own.size() >= usual || own.getFirst().step() < 0
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

  private static long[] emptyRow(int ranks) {
    long[] row = new long[ranks];
    Arrays.fill(row, Long.MIN_VALUE);
    return row;
  }
}
