package dev.pitwall.report.comparison;

import dev.pitwall.report.TextPage;
import dev.pitwall.study.RegressionGate;
import java.util.Locale;

/// A gate's answer as JUnit XML, which continuous integration shows as one test: passed, or failed
/// with the text of the comparison.
public final class ComparisonJunit {
  private static final int COLUMNS = 100;

  private ComparisonJunit() {}

  /// One test suite with one test.
  public static String of(RegressionGate gate, String before, String after) {
    boolean failed = gate.fails();
    double seconds = gate.comparison().after().value() / 1e3;
    StringBuilder xml = new StringBuilder();
    xml.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml.append(
        String.format(
            Locale.ROOT,
            "<testsuite name=\"pitwall gate\" tests=\"1\" failures=\"%d\" errors=\"0\""
                + " skipped=\"0\" time=\"%.6f\">%n",
            failed ? 1 : 0,
            seconds));
    xml.append(
        String.format(
            Locale.ROOT,
            "  <testcase classname=\"pitwall\" name=\"training step at most %.1f %% longer\""
                + " time=\"%.6f\">%n",
            100 * gate.maxRegression(),
            seconds));
    TextPage page = new TextPage(COLUMNS, false);
    ComparisonText.write(gate, before, after, page);
    String text = page.toString();
    if (failed) {
      xml.append("    <failure message=\"")
          .append(escaped(ComparisonText.verdict(gate)))
          .append("\">")
          .append(escaped(text))
          .append("</failure>\n");
    } else {
      xml.append("    <system-out>").append(escaped(text)).append("</system-out>\n");
    }
    return xml.append("  </testcase>\n</testsuite>\n").toString();
  }

  /// XML 1.0 has no place for control characters but tab and line ends.
  private static String escaped(String text) {
    return text.replaceAll(
            "[^\\t\\n\\r\\x20-\\x{D7FF}\\x{E000}-\\x{FFFD}\\x{10000}-\\x{10FFFF}]", "?")
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
