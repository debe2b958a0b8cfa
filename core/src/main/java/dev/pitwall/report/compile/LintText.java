package dev.pitwall.report.compile;

import dev.pitwall.compile.lint.LintFinding;
import dev.pitwall.compile.lint.LintRule;
import dev.pitwall.json.JsonWriter;
import dev.pitwall.report.PlainText;
import java.util.List;
import java.util.Locale;

/// Lint findings as lines for a terminal, as JSON, and as SARIF 2.1.0 for code review.
public final class LintText {
  /// Characters of a source line that are printed.
  private static final int MOST_CODE = 160;

  private static final int NARROWEST = 40;
  private static final int WIDEST_INDENT = 9;

  private static final String SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";

  private LintText() {}

  /// One line a finding, as compilers write them, with its code, reason and fix below.
  ///
  /// @param columns of the terminal; sentences go on below where they are longer
  public static String of(List<LintFinding> findings, int columns) {
    StringBuilder text = new StringBuilder();
    for (LintFinding finding : findings) {
      LintRule rule = finding.rule();
      wrapped(
          text,
          "",
          columns,
          String.format(
              Locale.ROOT,
              "%s:%d:%d: %s: %s [%s%s]",
              PlainText.printable(finding.path()),
              finding.line(),
              finding.column(),
              rule.level(),
              rule.message(),
              rule.name(),
              rule.breakId().isEmpty() ? "" : " " + rule.breakId()));
      text.append("    ").append(printableCode(finding.code())).append('\n');
      if (!finding.because().isEmpty()) {
        String function = finding.function().isEmpty() ? "" : finding.function() + " is ";
        wrapped(
            text, "    ", columns, "because " + PlainText.printable(function + finding.because()));
      }
      if (!rule.fix().isEmpty()) {
        wrapped(text, "    ", columns, "fix: " + rule.fix());
      }
      rule.code().lines().forEach(line -> text.append("         ").append(line).append('\n'));
    }
    long errors = count(findings, "error");
    long warnings = count(findings, "warning");
    text.append(
        String.format(
            Locale.ROOT,
            "%d graph breaks, %d host waits or recompiles, %d remarks%n",
            errors,
            warnings,
            findings.size() - errors - warnings));
    return text.toString();
  }

  private static void wrapped(StringBuilder text, String indent, int columns, String sentence) {
    String lead = indent;
    for (String line : PlainText.wrapped(sentence, Math.max(NARROWEST, columns) - WIDEST_INDENT)) {
      text.append(lead).append(line).append('\n');
      lead = "         ";
    }
  }

  /// Tabs are common inside a line of code and harmless. What generated code has in one line would
  /// bury the finding, so a long line is cut; the JSON has all of it.
  private static String printableCode(String code) {
    String line = code.length() > MOST_CODE ? code.substring(0, MOST_CODE) + " ..." : code;
    return PlainText.printable(line.replace('\t', ' '));
  }

  private static long count(List<LintFinding> findings, String level) {
    return findings.stream().filter(finding -> finding.rule().level().equals(level)).count();
  }

  /// A `pitwall.report/1` document with the member `lint`.
  public static String json(List<LintFinding> findings) {
    JsonWriter json = new JsonWriter().object();
    json.key("schema").value("pitwall.report/1");
    json.key("lint").array();
    for (LintFinding finding : findings) {
      json.object();
      json.key("rule").value(finding.rule().name());
      json.key("level").value(finding.rule().level());
      json.key("break_id").value(finding.rule().breakId());
      json.key("path").value(finding.path());
      json.key("line").value(finding.line());
      json.key("column").value(finding.column());
      json.key("function").value(finding.function());
      json.key("message").value(finding.rule().message());
      json.key("because").value(finding.because());
      json.key("code").value(finding.code());
      json.key("fix").object();
      json.key("text").value(finding.rule().fix());
      json.key("code").value(finding.rule().code());
      json.end();
      json.end();
    }
    return json.end().end() + "\n";
  }

  /// SARIF 2.1.0, one run.
  public static String sarif(List<LintFinding> findings) {
    JsonWriter json = new JsonWriter().object();
    json.key("$schema").value(SARIF_SCHEMA);
    json.key("version").value("2.1.0");
    json.key("runs").array().object();
    json.key("tool").object().key("driver").object();
    json.key("name").value("pitwall lint");
    json.key("rules").array();
    LintRule.all().stream()
        .map(LintRule::name)
        .distinct()
        .forEach(
            name -> {
              LintRule rule =
                  LintRule.all().stream()
                      .filter(one -> one.name().equals(name))
                      .findFirst()
                      .orElseThrow();
              json.object();
              json.key("id").value(name);
              json.key("shortDescription").object().key("text").value(rule.message()).end();
              json.key("help").object().key("text").value(rule.fix()).end();
              if (rule.breakId().startsWith("GB")) {
                json.key("helpUri")
                    .value(
                        "https://meta-pytorch.github.io/compile-graph-break-site/gb/"
                            + rule.breakId().toLowerCase(Locale.ROOT)
                            + ".html");
              }
              json.end();
            });
    json.end().end().end();
    json.key("results").array();
    for (LintFinding finding : findings) {
      json.object();
      json.key("ruleId").value(finding.rule().name());
      json.key("level").value(finding.rule().level());
      json.key("message").object();
      json.key("text")
          .value(
              finding.rule().message()
                  + (finding.because().isEmpty() ? "" : " (" + finding.because() + ")")
                  + ". "
                  + finding.rule().fix());
      json.end();
      json.key("locations").array().object().key("physicalLocation").object();
      json.key("artifactLocation")
          .object()
          .key("uri")
          .value(finding.path().replace('\\', '/'))
          .end();
      json.key("region").object();
      json.key("startLine").value(finding.line());
      json.key("startColumn").value(finding.column());
      json.end().end().end().end();
      json.end();
    }
    json.end().end().end();
    return json.end() + "\n";
  }
}
