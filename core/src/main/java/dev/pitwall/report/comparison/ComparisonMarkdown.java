package dev.pitwall.report.comparison;

import dev.pitwall.study.RegressionGate;
import dev.pitwall.study.RunComparison;
import java.util.Locale;

/// A gate's answer as Markdown, for a pull request's comment or a job's summary.
public final class ComparisonMarkdown {
  private static final double LEAST_MILLIS = 0.005;

  private ComparisonMarkdown() {}

  /// A headline, the steps, and what changed by cause.
  public static String of(RegressionGate gate) {
    RunComparison comparison = gate.comparison();
    StringBuilder out = new StringBuilder();
    out.append("### Training step: ")
        .append(
            switch (gate.outcome()) {
              case PASSED -> "passed";
              case WITHIN_NOISE -> "passed, within noise";
              case FAILED -> "failed";
              case UNTRUSTED -> "not judged";
            })
        .append("\n\n");
    out.append(
        String.format(
            Locale.ROOT,
            "%.2f ms before, %.2f ms after: %+.2f ms (%+.1f %%); at most %.1f %% longer is allowed,"
                + " two runs of one program differ by about %.1f %%.%n%n",
            comparison.before().value(),
            comparison.after().value(),
            comparison.millis(),
            100 * comparison.fraction(),
            100 * gate.maxRegression(),
            100 * comparison.noiseFraction()));
    comparison.warnings().forEach(warning -> out.append(warning).append("\n\n"));
    out.append("| step by cause | before ms | after ms | change ms |\n|---|---:|---:|---:|\n");
    for (RunComparison.Change change : comparison.causes()) {
      if (Math.abs(change.millis()) >= LEAST_MILLIS) {
        out.append(
            String.format(
                Locale.ROOT,
                "| %s | %.2f | %.2f | %+.2f |%n",
                change.name().replace("|", "\\|"),
                change.beforeMillis(),
                change.afterMillis(),
                change.millis()));
      }
    }
    return out.toString();
  }
}
