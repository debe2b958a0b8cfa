package dev.pitwall.capture.tune;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The comparison for the user: one line a variant, the choice, and the lines to change.
///
/// @param rows the program as written first
/// @param predictedSteps by the variant's name, in milliseconds; a variant without one is not
///     listed
/// @param lossTolerance largest relative difference of losses that counts as agreement
public record TuneTable(
    List<TuneRow> rows, double lossTolerance, Map<String, Estimate> predictedSteps) {
  /// The verdict on one variant.
  public enum Verdict {
    BASE("as it is"),
    FASTEST("fastest"),
    FASTER("faster"),
    EQUAL("no gain"),
    SLOWER("slower"),
    UNDECIDED("not decided"),
    DIFFERS("losses differ"),
    FAILED("failed");

    private final String words;

    Verdict(String words) {
      this.words = words;
    }
  }

  private static final String LINE = "%-28s %22s %9s %8s %9s %9s %9s %10s %9s  %s%n";

  public TuneTable {
    rows = List.copyOf(rows);
    predictedSteps = Map.copyOf(predictedSteps);
  }

  public Verdict verdict(TuneRow row) {
    TuneRow base = rows.getFirst();
    if (!row.measured()) {
      return Verdict.FAILED;
    }
    if (row == base) {
      return Verdict.BASE;
    }
    if (row.lossDifference(base) > lossTolerance) {
      return Verdict.DIFFERS;
    }
    return switch (row.sample().comparedWith(base.sample())) {
      case FASTER -> row == best() ? Verdict.FASTEST : Verdict.FASTER;
      case SLOWER -> Verdict.SLOWER;
      case EQUAL -> Verdict.EQUAL;
      case UNDECIDED -> Verdict.UNDECIDED;
    };
  }

  /// The variant to choose: the fastest of those that are surely faster and whose losses agree;
  /// null where the program is best as it is.
  public @Nullable TuneRow best() {
    TuneRow base = rows.getFirst();
    TuneRow best = null;
    for (TuneRow row : rows) {
      if (row != base
          && row.measured()
          && !(row.lossDifference(base) > lossTolerance)
          && row.sample().comparedWith(base.sample()) == StepSample.Order.FASTER
          && (best == null || row.stepMillis() < best.stepMillis())) {
        best = row;
      }
    }
    return best;
  }

  /// Compile time of the first, cold run in seconds: what its first steps took more than those of
  /// the program as written.
  double compileSeconds(TuneRow row) {
    return row == rows.getFirst()
        ? 0
        : Math.max(0, row.warmupExcessSeconds() - rows.getFirst().warmupExcessSeconds());
  }

  /// The step at which the time saved has paid for compiling; -1 for never.
  long paybackStep(TuneRow row) {
    double saved = rows.getFirst().stepMillis() - row.stepMillis();
    return saved > 0 ? (long) Math.ceil(compileSeconds(row) * 1e3 / saved) : -1;
  }

  /// The table, the choice and the lines to change.
  public String text() {
    StringBuilder out = new StringBuilder();
    out.append(
        String.format(
            LINE,
            "variant",
            "step ms",
            "predicted",
            "speed-up",
            "compile",
            "occupancy",
            "peak",
            "recompiles",
            "pays at",
            "verdict"));
    for (TuneRow row : rows) {
      out.append(line(row));
    }
    out.append('\n').append(lossLine()).append('\n');
    TuneRow best = best();
    if (best == null) {
      out.append("Keep the program as it is: no variant is surely faster with equal losses.\n");
    } else {
      out.append(
          String.format(
              Locale.ROOT,
              "Take %s: %.2f times as fast, paid back at step %d. Change:%n%n",
              best.variant().name(),
              rows.getFirst().stepMillis() / best.stepMillis(),
              paybackStep(best)));
      String code = best.variant().code().replace("%s", "model");
      code.lines().forEach(line -> out.append("    ").append(line).append('\n'));
      if (code.contains("model")) {
        out.append("    # where model is your ").append(best.module()).append('\n');
      }
    }
    return out.toString();
  }

  private String line(TuneRow row) {
    if (!row.measured()) {
      return String.format(
          LINE,
          row.variant().name(),
          "-",
          "-",
          "-",
          "-",
          "-",
          "-",
          "-",
          "-",
          "failed: " + row.failure());
    }
    boolean base = row == rows.getFirst();
    Verdict verdict = verdict(row);
    long payback = paybackStep(row);
    return String.format(
        LINE,
        row.variant().name(),
        step(row),
        predicted(row),
        String.format(Locale.ROOT, "%.2f", rows.getFirst().stepMillis() / row.stepMillis()),
        base ? "-" : String.format(Locale.ROOT, "%.1f s", compileSeconds(row)),
        percent(row.hotOccupancy()),
        row.peakBytes() < 0
            ? "-"
            : String.format(Locale.ROOT, "%.2f GiB", row.peakBytes() / (double) (1L << 30)),
        base ? "-" : Long.toString(row.recompiles()),
        base ? "-" : payback < 0 ? "never" : Long.toString(payback),
        verdict == Verdict.DIFFERS
            ? String.format(
                Locale.ROOT, "losses differ by %.1f %%", 100 * row.lossDifference(rows.getFirst()))
            : verdict.words);
  }

  private String predicted(TuneRow row) {
    Estimate step = predictedSteps.get(row.variant().name());
    return step == null ? "-" : String.format(Locale.ROOT, "%.2f", step.value());
  }

  private static String percent(double fraction) {
    return Double.isNaN(fraction) ? "-" : String.format(Locale.ROOT, "%.0f %%", 100 * fraction);
  }

  private static String step(TuneRow row) {
    StepSample sample = row.sample();
    return sample.runs() < 2
        ? String.format(Locale.ROOT, "%.3f (1 run)", sample.mean())
        : String.format(
            Locale.ROOT, "%.3f ± %.3f (%d)", sample.mean(), sample.halfWidth(), sample.runs());
  }

  private String lossLine() {
    List<String> unchecked = new ArrayList<>();
    double largest = 0;
    for (TuneRow row : rows) {
      double difference = row.lossDifference(rows.getFirst());
      if (row.measured() && Double.isNaN(difference)) {
        unchecked.add(row.variant().name());
      } else if (row.measured() && difference <= lossTolerance) {
        largest = Math.max(largest, difference);
      }
    }
    return String.format(
        Locale.ROOT,
        "Losses of the first steps, same seed: agreeing variants differ by at most %.3f %%"
            + " (tolerance %.1f %%)%s.",
        100 * largest,
        100 * lossTolerance,
        unchecked.isEmpty() ? "" : "; not checked: " + String.join(", ", unchecked));
  }

  /// The schema `pitwall.tune/1`.
  public String json() {
    TuneRow best = best();
    JsonWriter out =
        new JsonWriter()
            .object()
            .key("schema")
            .value("pitwall.tune/1")
            .key("loss_tolerance")
            .value(lossTolerance)
            .key("choice")
            .value(best == null ? null : best.variant().name())
            .key("variants")
            .array();
    for (TuneRow row : rows) {
      out.object()
          .key("name")
          .value(row.variant().name())
          .key("change")
          .value(row.variant().change())
          .key("verdict")
          .value(verdict(row).name().toLowerCase(Locale.ROOT))
          .key("failure")
          .value(row.failure())
          .key("step_ms")
          .value(row.stepMillis())
          .key("predicted_step_ms")
          .value(
              predictedSteps.containsKey(row.variant().name())
                  ? predictedSteps.get(row.variant().name()).value()
                  : Double.NaN)
          .key("step_ms_half_width")
          .value(row.sample().halfWidth())
          .key("runs_ms")
          .array();
      for (double millis : row.sample().runMillis()) {
        out.value(millis);
      }
      out.end()
          .key("compile_s")
          .value(compileSeconds(row))
          .key("hot_kernel_occupancy")
          .value(row.hotOccupancy())
          .key("peak_bytes")
          .value(row.peakBytes())
          .key("recompiles")
          .value(row.recompiles())
          .key("graph_breaks")
          .value(row.graphBreaks())
          .key("payback_step")
          .value(row.measured() ? paybackStep(row) : -1)
          .key("loss_difference")
          .value(row.lossDifference(rows.getFirst()))
          .end();
    }
    return out.end().end() + "\n";
  }
}
