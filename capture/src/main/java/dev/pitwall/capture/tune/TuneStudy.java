package dev.pitwall.capture.tune;

import dev.pitwall.estimate.Estimate;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/// Runs the variants in turns, so that a slow minute of the machine meets all of them, and repeats
/// until every comparison with the program as written is decided or the budget is spent.
///
/// @param budgetSeconds no run begins after so long; a run may not outlast it either
/// @param leastRounds before a comparison counts as decided
/// @param mostRounds at most
/// @param compileModes the modes to try
/// @param cores of this machine
/// @param suggestions the ids of the findings of a profiled run's folder; empty where it is unknown
/// @param progress told before each run
/// @param clockSeconds a monotonic clock
public record TuneStudy(
    VariantRunner runner,
    long budgetSeconds,
    int leastRounds,
    int mostRounds,
    List<TuneVariant> compileModes,
    int cores,
    Function<Path, Set<String>> suggestions,
    Consumer<String> progress,
    LongSupplier clockSeconds) {

  /// The rows, the program as written first. A variant the budget did not reach has no runs.
  public List<TuneRow> execute() {
    long end = clockSeconds.getAsLong() + budgetSeconds;
    Map<TuneVariant, List<TuneRun>> runs = new LinkedHashMap<>();
    TuneRow asWritten = run(TuneVariant.AS_WRITTEN, 1, end, runs);
    if (!asWritten.measured()) {
      return rows(runs);
    }
    if (asWritten.programCompiles()) {
      run(TuneVariant.EAGER, 1, end, runs);
    }
    for (TuneVariant variant : compileModes) {
      TuneRow row = run(variant, 1, end, runs);
      if (variant.name().equals("default") && row.recompiles() > 0) {
        run(TuneVariant.dynamic(), 1, end, runs);
      }
      if (variant.name().equals("default") && row.graphBreaks() > 0) {
        run(TuneVariant.fullGraph(), 1, end, runs);
      }
    }
    Set<String> findings = suggestions.apply(asWritten.runs().getFirst().folder());
    for (TuneVariant variant : TuneVariant.suggestedBy(findings, cores)) {
      run(variant, 1, end, runs);
    }
    for (int round = 2; round <= mostRounds && !decided(rows(runs)); round++) {
      for (TuneVariant variant : List.copyOf(runs.keySet())) {
        if (row(variant, runs).measured()) {
          run(variant, round, end, runs);
        }
      }
    }
    return rows(runs);
  }

  /// Ids of what the rules find in the profiled window of a run; empty where it has none.
  public static Set<String> findingsOf(Path runFolder) {
    return ProfiledRun.in(runFolder).map(ProfiledRun::findingIds).orElse(Set.of());
  }

  /// The step predicted for each compile mode from the profiled steps of the program as written.
  public static Map<String, Estimate> predictedSteps(TuneRow asWritten) {
    return ProfiledRun.in(asWritten.runs().getFirst().folder())
        .map(run -> run.predictedSteps(TuneVariant.MODES))
        .orElse(Map.of());
  }

  private TuneRow run(
      TuneVariant variant, int round, long end, Map<TuneVariant, List<TuneRun>> runs) {
    List<TuneRun> sofar = runs.computeIfAbsent(variant, v -> new ArrayList<>());
    long left = end - clockSeconds.getAsLong();
    if (left > 0) {
      progress.accept("round " + round + ": " + variant.name());
      sofar.add(runner.run(variant, round, left));
    }
    return row(variant, runs);
  }

  private boolean decided(List<TuneRow> rows) {
    StepSample base = rows.getFirst().sample();
    return rows.stream()
        .skip(1)
        .filter(TuneRow::measured)
        .allMatch(
            row ->
                row.sample().runs() >= leastRounds
                    && row.sample().comparedWith(base) != StepSample.Order.UNDECIDED);
  }

  private static List<TuneRow> rows(Map<TuneVariant, List<TuneRun>> runs) {
    return runs.keySet().stream().map(variant -> row(variant, runs)).toList();
  }

  private static TuneRow row(TuneVariant variant, Map<TuneVariant, List<TuneRun>> runs) {
    return new TuneRow(variant, runs.getOrDefault(variant, List.of()));
  }
}
