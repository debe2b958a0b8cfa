package dev.pitwall.report;

import dev.pitwall.error.PitwallException;
import dev.pitwall.observe.KernelStatistics;
import dev.pitwall.observe.Observation;
import dev.pitwall.observe.OperatorStatistics;
import dev.pitwall.observe.ranks.RankSummary;
import dev.pitwall.trace.Recording;
import dev.pitwall.trace.pattern.KernelClass;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Whether traces given together are the ranks of one job, or runs that have nothing to do with
/// each other and must not be averaged.
final class OneJob {
  /// Ranks of one job share nearly all of their kernels' time; of the programs in data/h200, two
  /// different ones share at most half.
  private static final double SAME_PROGRAM = 0.6;

  /// Equal programs launch as many kernels a step, give or take a clipped gradient.
  private static final double LAUNCHES_APART = 0.1;

  private static final String POINT_TO_POINT = "send";

  /// The operations that a collective's label or kernel may name, each before what its name holds.
  private static final List<String> OPERATIONS =
      List.of(
          "allreduce",
          "allgather",
          "reducescatter",
          "alltoall",
          "broadcast",
          POINT_TO_POINT,
          "recv",
          "reduce");

  private OneJob() {}

  /// What is asked of one rank.
  ///
  /// @param rank -1 where nothing says it
  /// @param worldSize ranks of the job, -1 where the file does not say
  /// @param launches kernels launched a step
  /// @param collectives by kind
  /// @param operations what they do; empty where one of them is not told
  /// @param work by name, the share of the rank's time in kernels that are no collectives, or in
  ///     operators where it has no kernels
  record Rank(
      String path,
      int rank,
      int worldSize,
      int launches,
      Set<String> collectives,
      Set<String> operations,
      Map<String, Double> work) {
    static Rank of(Path file, Observation observation) {
      Recording recording = observation.index().trace().recording();
      return of(
          file.toString(),
          recording.rank(),
          recording.worldSize(),
          observation.host().kernelLaunches() / observation.stepCount(),
          RankSummary.of(observation, -1),
          observation.kernels(),
          observation.operators());
    }

    static Rank of(RankResult rank) {
      return of(
          rank.input().path(),
          rank.rank(),
          rank.worldSize(),
          rank.host().launches(),
          rank.summary(),
          rank.kernels(),
          rank.operators());
    }

    private static Rank of(
        String path,
        int rank,
        int worldSize,
        int launches,
        RankSummary summary,
        List<KernelStatistics> kernels,
        List<OperatorStatistics> operators) {
      Set<String> kinds = new HashSet<>();
      Set<String> operations = new HashSet<>();
      boolean told = true;
      for (RankSummary.Call call : summary.calls()) {
        if (kinds.add(call.kind())) {
          Optional<String> operation = operation(call.label());
          operation.ifPresent(operations::add);
          told &= operation.isPresent();
        }
      }
      return new Rank(
          path,
          rank,
          worldSize,
          launches,
          kinds,
          told ? operations : Set.of(),
          sharesOfTime(kernels, operators));
    }

    /// Stages of a pipeline send and receive what their neighbours do not.
    boolean onlyCollects() {
      return !operations.isEmpty()
          && !operations.contains(POINT_TO_POINT)
          && !operations.contains("recv");
    }
  }

  private static Optional<String> operation(String label) {
    String name = label.toLowerCase(Locale.ROOT).replace("_", "");
    return OPERATIONS.stream().filter(name::contains).findFirst();
  }

  /// @param ranks in order of rank
  /// @throws PitwallException with exit code 2 where two of them are different runs
  static void require(List<Rank> ranks) {
    Rank first = ranks.getFirst();
    Rank before = first;
    for (Rank rank : ranks.subList(1, ranks.size())) {
      Optional<String> why = whyApart(first, rank);
      if (why.isEmpty() && rank.rank() >= 0 && rank.rank() == before.rank()) {
        why = Optional.of("both say that they are rank " + rank.rank());
      }
      if (why.isPresent()) {
        String one = (rank.rank() == before.rank() ? before : first).path();
        String other = rank.path();
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

  private static Optional<String> whyApart(Rank first, Rank rank) {
    if (first.worldSize() > 0 && rank.worldSize() > 0 && first.worldSize() != rank.worldSize()) {
      return Optional.of(
          "their jobs have " + first.worldSize() + " and " + rank.worldSize() + " ranks");
    }
    boolean numbered = first.rank() >= 0 && rank.rank() >= 0;
    boolean ofOneWorld = numbered && first.worldSize() > 1 && rank.worldSize() > 1;
    if (first.onlyCollects()
        && rank.onlyCollects()
        && Collections.disjoint(first.operations(), rank.operations())) {
      return Optional.of(
          "one calls "
              + String.join(", ", new TreeSet<>(first.operations()))
              + ", the other "
              + String.join(", ", new TreeSet<>(rank.operations())));
    }
    if (ofOneWorld || !Collections.disjoint(first.collectives(), rank.collectives())) {
      return Optional.empty();
    }
    double shared = shared(first.work(), rank.work());
    int launches = first.launches();
    int otherLaunches = rank.launches();
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

  private static Map<String, Double> sharesOfTime(
      List<KernelStatistics> kernels, List<OperatorStatistics> operators) {
    Map<String, Double> nanos = new HashMap<>();
    for (KernelStatistics kernel : kernels) {
      if (kernel.kernelClass() != KernelClass.COMMUNICATION) {
        nanos.merge(kernel.name(), (double) kernel.totalNanos(), Double::sum);
      }
    }
    if (nanos.isEmpty()) {
      for (OperatorStatistics operator : operators) {
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
