package dev.pitwall.report;

import dev.pitwall.error.PitwallException;
import dev.pitwall.observe.KernelStatistics;
import dev.pitwall.observe.OperatorStatistics;
import dev.pitwall.observe.ranks.RankSummary;
import dev.pitwall.trace.pattern.KernelClass;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Whether traces given together are the ranks of one job, or runs that have nothing to do with
// each
/// other and must not be averaged.
final class OneJob {
  /// Ranks of one job share nearly all of their kernels' time; of the programs in data/h200, two
  /// different ones share at most half.
  private static final double SAME_PROGRAM = 0.6;

  /// Equal programs launch as many kernels a step, give or take a clipped gradient.
  private static final double LAUNCHES_APART = 0.1;

  private OneJob() {}

  /// @param ranks in order of rank
  /// @throws PitwallException with exit code 2 where two of them are different runs
  static void require(List<RankResult> ranks) {
    RankResult first = ranks.getFirst();
    Set<String> collectives = collectives(first);
    Map<String, Double> work = work(first);
    RankResult before = first;
    for (RankResult rank : ranks.subList(1, ranks.size())) {
      Optional<String> why = whyApart(first, collectives, work, rank);
      if (why.isEmpty() && rank.rank() >= 0 && rank.rank() == before.rank()) {
        why = Optional.of("both say that they are rank " + rank.rank());
      }
      if (why.isPresent()) {
        String one = (rank.rank() == before.rank() ? before : first).input().path();
        String other = rank.input().path();
        throw PitwallException.usage(
            one
                + " and "
                + other
                + " are two runs, not two ranks of one job: "
                + why.get()
                + ". Analyze each by itself, or compare them with `pitwall diff "
                + one
                + " "
                + other
                + "`.");
      }
      before = rank;
    }
  }

  private static Optional<String> whyApart(
      RankResult first, Set<String> collectives, Map<String, Double> work, RankResult rank) {
    if (first.worldSize() > 0 && rank.worldSize() > 0 && first.worldSize() != rank.worldSize()) {
      return Optional.of(
          "their jobs have " + first.worldSize() + " and " + rank.worldSize() + " ranks");
    }
    boolean numbered = first.rank() >= 0 && rank.rank() >= 0;
    boolean ofOneWorld = numbered && first.worldSize() > 1 && rank.worldSize() > 1;
    if (ofOneWorld || collectives(rank).stream().anyMatch(collectives::contains)) {
      return Optional.empty();
    }
    double shared = shared(work, work(rank));
    int launches = first.host().launches();
    int otherLaunches = rank.host().launches();
    boolean asMany =
        Math.min(launches, otherLaunches)
            >= (1 - LAUNCHES_APART) * Math.max(launches, otherLaunches);
    if (numbered && shared >= SAME_PROGRAM && asMany) {
      return Optional.empty();
    }
    if (shared >= SAME_PROGRAM && !asMany) {
      return Optional.of(
          "they share no collective, and their steps launch %d and %d kernels"
              .formatted(launches, otherLaunches));
    }
    return Optional.of(
        String.format(
            Locale.ROOT,
            "they share no collective, and %.0f %% of their kernels' time%s",
            100 * shared,
            numbered ? "" : "; nothing in them or their names says a rank"));
  }

  private static Set<String> collectives(RankResult rank) {
    Set<String> kinds = new HashSet<>();
    for (RankSummary.Call call : rank.summary().calls()) {
      kinds.add(call.kind());
    }
    return kinds;
  }

  /// By name, the share of the rank's time in kernels that are no collectives, or in operators
  // where
  /// it has no kernels.
  private static Map<String, Double> work(RankResult rank) {
    Map<String, Double> nanos = new HashMap<>();
    for (KernelStatistics kernel : rank.kernels()) {
      if (kernel.kernelClass() != KernelClass.COMMUNICATION) {
        nanos.merge(kernel.name(), (double) kernel.totalNanos(), Double::sum);
      }
    }
    if (nanos.isEmpty()) {
      for (OperatorStatistics operator : rank.operators()) {
        nanos.merge(operator.name(), (double) operator.selfNanos(), Double::sum);
      }
    }
    double sum = nanos.values().stream().mapToDouble(Double::doubleValue).sum();
    if (sum > 0) {
      nanos.replaceAll((name, own) -> own / sum);
    }
    return nanos;
  }

  private static double shared(Map<String, Double> one, Map<String, Double> other) {
    double shared = 0;
    for (Map.Entry<String, Double> entry : one.entrySet()) {
      shared += Math.min(entry.getValue(), other.getOrDefault(entry.getKey(), 0.0));
    }
    return shared;
  }
}
