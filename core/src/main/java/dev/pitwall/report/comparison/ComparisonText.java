package dev.pitwall.report.comparison;

import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Finding;
import dev.pitwall.report.PlainText;
import dev.pitwall.report.Quantity;
import dev.pitwall.report.TextPage;
import dev.pitwall.report.TextTable;
import dev.pitwall.study.RegressionGate;
import dev.pitwall.study.RunComparison;
import dev.pitwall.study.RunComparison.Change;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A comparison as text for a terminal.
public final class ComparisonText {
  private static final int MOST_ROWS = 8;
  private static final double LEAST_MILLIS = 0.005;

  private final RunComparison comparison;
  private final TextPage page;

  private ComparisonText(RunComparison comparison, TextPage page) {
    this.comparison = comparison;
    this.page = page;
  }

  /// Adds what changed: findings and breakdown as `analyze` names them, then the critical path.
  ///
  /// @param before the first run as the user named it
  /// @param after the second
  public static void write(
      RunComparison comparison,
      ReportDifference difference,
      String before,
      String after,
      TextPage page) {
    ComparisonText text = new ComparisonText(comparison, page);
    text.steps(before, after);
    page.blank().paragraph(text.sentence());
    text.findings("No longer found", difference.gone());
    text.findings("New", difference.come());
    comparison.warnings().forEach(page::paragraph);
    text.rows(
        "GPU, ms of the mean step as recorded",
        difference.breakdown().stream(),
        PlainText::printable);
    text.causes();
    text.table("kernel", comparison.kernels(), PlainText::kernelName);
    text.table("operator, self time on the CPU", comparison.operators(), PlainText::printable);
    Change hidden = comparison.hiddenCommunication();
    if (hidden.beforeMillis() > 0 || hidden.afterMillis() > 0) {
      text.table("overlap", List.of(hidden), PlainText::printable);
    }
  }

  /// Adds whether the gate lets the second run pass, and why.
  public static void write(RegressionGate gate, String before, String after, TextPage page) {
    ComparisonText text = new ComparisonText(gate.comparison(), page);
    text.steps(before, after);
    page.blank().paragraph(capitalized(verdict(gate)));
    page.paragraph(text.sentence());
    // The verdict of what is not judged has said the first already.
    long said = gate.outcome() == RegressionGate.Outcome.UNTRUSTED ? 1 : 0;
    gate.comparison().warnings().stream().skip(said).forEach(page::paragraph);
    if (gate.outcome() == RegressionGate.Outcome.FAILED) {
      text.causes();
    }
  }

  /// Whether the gate lets the second run pass, in one sentence.
  static String verdict(RegressionGate gate) {
    String limit = Quantity.percent(gate.maxRegression());
    return switch (gate.outcome()) {
      case PASSED -> "passed: at most " + limit + " longer is allowed.";
      case WITHIN_NOISE ->
          "passed within noise: longer than the allowed "
              + limit
              + ", but two runs of one program may differ by as much; record more steps.";
      case FAILED -> "failed: at most " + limit + " longer is allowed.";
      case UNTRUSTED -> "not judged, so not passed: " + gate.comparison().doubts().getFirst();
    };
  }

  private String sentence() {
    double millis = comparison.millis();
    String noise =
        String.format(
            Locale.ROOT,
            "two runs of one program differ by about %s (%s).",
            Quantity.millis(comparison.noiseMillis()),
            Quantity.percent(comparison.noiseFraction()));
    if (Math.abs(millis) <= comparison.noiseMillis()) {
      return String.format(
          Locale.ROOT,
          "No difference beyond noise (%s): %s",
          millis == 0 ? "0 ms" : String.format(Locale.ROOT, "%+,.2f ms", millis),
          noise);
    }
    return String.format(
        Locale.ROOT,
        "The step is %s (%s) %s; %s",
        Quantity.millis(Math.abs(millis)),
        Quantity.percent(Math.abs(comparison.fraction())),
        millis > 0 ? "longer" : "shorter",
        noise);
  }

  private void steps(String before, String after) {
    page.table(
        new TextTable(
                TextTable.name(""),
                TextTable.path("run"),
                TextTable.figure("ms a step without the profiler"))
            .row("before", before, step(comparison.before()))
            .row("after", after, step(comparison.after())));
  }

  private static String step(Estimate step) {
    return step.low() == step.high()
        ? String.format(Locale.ROOT, "%,.2f", step.value())
        : String.format(
            Locale.ROOT, "%,.2f (%,.2f to %,.2f)", step.value(), step.low(), step.high());
  }

  private void findings(String label, List<Finding> findings) {
    if (!findings.isEmpty()) {
      page.paragraph(
          label + ": ",
          findings.stream().map(ComparisonText::named).collect(Collectors.joining(", ")) + ".");
    }
  }

  private static String named(Finding finding) {
    Estimate gain = finding.gain().millis();
    if (gain.value() == 0 && gain.high() == 0) {
      return finding.id();
    }
    return finding.id()
        + (gain.basis() == Basis.MEASURED ? " (loses " : " (")
        + Quantity.millis(gain.value())
        + " a step)";
  }

  private void causes() {
    table("critical path, ms without the profiler", comparison.causes(), PlainText::printable);
  }

  private void table(String title, List<Change> changes, UnaryOperator<String> name) {
    rows(
        title,
        changes.stream()
            .filter(change -> Math.abs(change.millis()) >= LEAST_MILLIS)
            .limit(MOST_ROWS),
        name);
  }

  private void rows(String title, Stream<Change> changes, UnaryOperator<String> name) {
    TextTable table = TextTable.ofFigures(title, "before", "after", "change");
    changes.forEach(
        change ->
            table.row(
                name.apply(change.name()),
                String.format(Locale.ROOT, "%,.2f", change.beforeMillis()),
                String.format(Locale.ROOT, "%,.2f", change.afterMillis()),
                Math.abs(change.millis()) < LEAST_MILLIS
                    ? "0.00"
                    : String.format(Locale.ROOT, "%+,.2f", change.millis())));
    if (!table.isEmpty()) {
      page.blank().table(table);
    }
  }

  private static String capitalized(String sentence) {
    return sentence.substring(0, 1).toUpperCase(Locale.ROOT) + sentence.substring(1);
  }
}
