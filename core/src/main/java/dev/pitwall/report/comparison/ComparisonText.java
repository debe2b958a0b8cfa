package dev.pitwall.report.comparison;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.study.RegressionGate;
import dev.pitwall.study.RunComparison;
import dev.pitwall.study.RunComparison.Change;
import java.util.List;
import java.util.Locale;

/// A comparison as lines for a terminal, each ending in a line break.
public final class ComparisonText {
  private static final int MOST_ROWS = 8;
  private static final double LEAST_MILLIS = 0.005;
  private static final int NAME_WIDTH = 44;

  private ComparisonText() {}

  /// What changed, by cause.
  public static String of(RunComparison comparison) {
    StringBuilder text = new StringBuilder();
    step(text, "before", comparison.before());
    step(text, "after", comparison.after());
    line(text, "%s", sentence(comparison));
    table(text, "step by cause", comparison.causes());
    table(text, "kernels", comparison.kernels());
    table(text, "operators, self time on the CPU", comparison.operators());
    Change hidden = comparison.hiddenCommunication();
    if (hidden.beforeMillis() > 0 || hidden.afterMillis() > 0) {
      table(text, "overlap", List.of(hidden));
    }
    return text.toString();
  }

  /// Whether the gate lets the second run pass, and why.
  public static String of(RegressionGate gate) {
    RunComparison comparison = gate.comparison();
    StringBuilder text = new StringBuilder();
    line(text, "%s", sentence(comparison));
    String limit = percent(gate.maxRegression());
    line(
        text,
        "%s",
        switch (gate.outcome()) {
          case PASSED -> "passed: at most " + limit + " longer is allowed";
          case WITHIN_NOISE ->
              "passed within noise: longer than the allowed "
                  + limit
                  + ", but two runs of one program may differ by as much; record more steps";
          case FAILED -> "failed: at most " + limit + " longer is allowed";
        });
    if (gate.outcome() == RegressionGate.Outcome.FAILED) {
      table(text, "step by cause", comparison.causes());
    }
    return text.toString();
  }

  private static String sentence(RunComparison comparison) {
    double millis = comparison.millis();
    String noise =
        String.format(
            Locale.ROOT,
            "two runs of one program differ by about %.2f ms (%s)",
            comparison.noiseMillis(),
            percent(comparison.noiseFraction()));
    if (Math.abs(millis) <= comparison.noiseMillis()) {
      return String.format(Locale.ROOT, "no difference beyond noise (%+.2f ms): %s", millis, noise);
    }
    return String.format(
        Locale.ROOT,
        "the step is %.2f ms (%s) %s; %s",
        Math.abs(millis),
        percent(Math.abs(comparison.fraction())),
        millis > 0 ? "longer" : "shorter",
        noise);
  }

  private static void step(StringBuilder text, String name, Estimate step) {
    line(
        text,
        "%-8s %9.2f ms   (%.2f to %.2f, without the profiler)",
        name,
        step.value(),
        step.low(),
        step.high());
  }

  private static void table(StringBuilder text, String title, List<Change> changes) {
    List<Change> shown =
        changes.stream()
            .filter(change -> Math.abs(change.millis()) >= LEAST_MILLIS)
            .limit(MOST_ROWS)
            .toList();
    if (shown.isEmpty()) {
      return;
    }
    line(text, "");
    line(
        text,
        "  %-" + NAME_WIDTH + "s %10s %10s %10s   ms per step",
        title,
        "before",
        "after",
        "change");
    for (Change change : shown) {
      line(
          text,
          "  %-" + NAME_WIDTH + "s %10.2f %10.2f %+10.2f",
          shortened(change.name()),
          change.beforeMillis(),
          change.afterMillis(),
          change.millis());
    }
  }

  private static String shortened(String name) {
    String printable = name.replaceAll("\\p{Cntrl}", " ");
    return printable.length() <= NAME_WIDTH
        ? printable
        : printable.substring(0, NAME_WIDTH - 3) + "...";
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f %%", 100 * share);
  }

  private static void line(StringBuilder text, String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
