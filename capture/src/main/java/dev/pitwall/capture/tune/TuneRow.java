package dev.pitwall.capture.tune;

import dev.pitwall.capture.RankRecording;
import dev.pitwall.json.Json;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What the runs of one variant showed.
public record TuneRow(TuneVariant variant, List<TuneRun> runs) {
  public TuneRow {
    runs = List.copyOf(runs);
  }

  /// Whether any run measured a step.
  public boolean measured() {
    return first() != null;
  }

  /// Why nothing was measured; empty where something was.
  public String failure() {
    return measured()
        ? ""
        : runs.stream()
            .map(TuneRun::failure)
            .filter(Objects::nonNull)
            .findFirst()
            .orElse("not run");
  }

  StepSample sample() {
    return StepSample.of(recordings().stream().map(RankRecording::stepMillis).toList());
  }

  /// Mean of the runs' medians.
  public double stepMillis() {
    return sample().mean();
  }

  /// Seconds the first steps of the first run took above steady ones, cold; NaN where unknown.
  double warmupExcessSeconds() {
    RankRecording first = first();
    return first == null ? Double.NaN : first.warmupExcessSeconds();
  }

  long peakBytes() {
    return fact("peak_alloc_bytes").integer(-1);
  }

  /// Theoretical occupancy of the kernels that take most device time, 0 to 1; NaN where unknown.
  double hotOccupancy() {
    return runs.isEmpty()
        ? Double.NaN
        : ProfiledRun.in(runs.getFirst().folder())
            .map(ProfiledRun::hotOccupancy)
            .orElse(Double.NaN);
  }

  long recompiles() {
    return fact("recompiles").integer(0);
  }

  long graphBreaks() {
    return fact("graph_breaks").integer(0);
  }

  /// The module that was compiled in place, or `model`.
  String module() {
    return fact("compiled").get(0).text("model");
  }

  /// Whether the program calls torch.compile itself.
  boolean programCompiles() {
    return fact("own_compile_calls").size() > 0;
  }

  /// Largest relative difference of this variant's losses from another's, over the backward passes
  /// that both recorded; NaN where there are none.
  double lossDifference(TuneRow other) {
    Json mine = fact("losses");
    Json theirs = other.fact("losses");
    double largest = Double.NaN;
    for (int i = 0; i < Math.min(mine.size(), theirs.size()); i++) {
      double a = mine.get(i).number(Double.NaN);
      double b = theirs.get(i).number(Double.NaN);
      double difference =
          Math.abs(a - b) / Math.max(Math.max(Math.abs(a), Math.abs(b)), Double.MIN_NORMAL);
      largest = Double.isNaN(largest) ? difference : Math.max(largest, difference);
      if (Double.isNaN(difference)) {
        return Double.isNaN(a) && Double.isNaN(b) ? largest : Double.POSITIVE_INFINITY;
      }
    }
    return largest;
  }

  private Json fact(String key) {
    RankRecording first = first();
    return first == null ? Json.Null.NULL : first.truth().get(key);
  }

  private @Nullable RankRecording first() {
    return recordings().stream().findFirst().orElse(null);
  }

  private List<RankRecording> recordings() {
    return runs.stream().map(TuneRun::recording).filter(Objects::nonNull).toList();
  }
}
