package dev.pitwall.bench.accuracy;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Finding;
import dev.pitwall.finding.Severity;
import dev.pitwall.report.RankResult;
import dev.pitwall.report.RunAnalysis;
import dev.pitwall.study.Baseline;
import dev.pitwall.study.Change;
import dev.pitwall.study.OverheadTable;
import dev.pitwall.study.Prediction;
import dev.pitwall.study.StepEstimator;
import dev.pitwall.study.WhatIf;
import dev.pitwall.table.DataTable;
import dev.pitwall.trace.TraceIndex;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Prints predicted against measured for a folder of measured runs: the step without the profiler
/// for every run, the step after a fix for every row of `PAIRS.tsv`, the first finding for every
/// row of `EXPECTED.tsv`.
///
/// Arguments: the folder; `--held-out` estimates the groups of this project's own data with costs
/// fitted without them; `--markdown FILE` writes the summary table as well.
public final class AccuracyBoard {
  private static final String HELD_OUT = "/dev/pitwall/bench/accuracy/held_out_overhead.csv";

  private final Path folder;
  private final boolean heldOut;
  private final Map<String, MeasuredRun> runs = new LinkedHashMap<>();
  private final StringBuilder markdown = new StringBuilder();

  private AccuracyBoard(Path folder, boolean heldOut) throws IOException {
    this.folder = folder;
    this.heldOut = heldOut;
    for (MeasuredRun run : MeasuredRun.under(folder)) {
      runs.put(run.name(), run);
    }
  }

  public static void main(String[] arguments) throws IOException {
    Path folder = null;
    Path markdown = null;
    boolean heldOut = false;
    for (int at = 0; at < arguments.length; at++) {
      switch (arguments[at]) {
        case "--held-out" -> heldOut = true;
        case "--markdown" -> markdown = Path.of(arguments[++at]);
        default -> folder = Path.of(arguments[at]);
      }
    }
    if (folder == null || !Files.isDirectory(folder)) {
      System.err.println("usage: bench/accuracy FOLDER [--held-out] [--markdown FILE]");
      System.exit(2);
      return;
    }
    AccuracyBoard board = new AccuracyBoard(folder, heldOut);
    board.title();
    board.steps();
    board.pairs();
    board.findings();
    if (markdown != null) {
      Files.writeString(markdown, board.markdown);
    }
  }

  private void title() {
    line("# Predicted against measured");
    line("");
    line(
        "Written by `bench/accuracy`. "
            + (heldOut
                ? "Every group is estimated with recording costs fitted on the other groups."
                : "Estimated with the recording costs that ship."));
  }

  private void steps() {
    heading("Step without the profiler");
    Errors errors = new Errors();
    tableHead("case | measured ms | estimated ms | interval ms | error | inside");
    for (MeasuredRun run : runs.values()) {
      Estimate step = baseline(run, run.read()).stepMillis();
      errors.add(step.value(), step.low(), step.high(), run.stepMillis());
      row(
          "%s | %.2f | %.2f | %.2f to %.2f | %+.1f %% | %s",
          run.name(),
          run.stepMillis(),
          step.value(),
          step.low(),
          step.high(),
          100 * (step.value() / run.stepMillis() - 1),
          step.low() <= run.stepMillis() && run.stepMillis() <= step.high() ? "yes" : "no");
    }
    conclusion(errors.summary());
  }

  private void pairs() throws IOException {
    Path table = folder.resolve("PAIRS.tsv");
    if (!Files.exists(table)) {
      return;
    }
    heading("Step after a fix");
    Errors errors = new Errors();
    Errors compileErrors = new Errors();
    Gains gains = new Gains();
    tableHead(
        "before | fix | measured ms | predicted ms | interval ms | error | sign"
            + " | measured gain ms | predicted gain ms | interval ms | inside");
    DataTable pairs = DataTable.read(table);
    for (int pair = 0; pair < pairs.rows(); pair++) {
      MeasuredRun before = runs.get(pairs.text(pair, "before"));
      MeasuredRun after = runs.get(pairs.text(pair, "after"));
      Change change = Change.parse(pairs.text(pair, "fix"));
      if (before == null || after == null) {
        row("%s | %s | no recording", pairs.text(pair, "before"), change);
        continue;
      }
      pair(before, change, after, change.id().equals("compile") ? compileErrors : errors, gains);
    }
    conclusion("Without compile: " + errors.summary());
    if (compileErrors.size() > 0) {
      conclusion("Compile alone: " + compileErrors.summary());
    }
    conclusion("Gains, all changes: " + gains.summary());
  }

  private void pair(
      MeasuredRun before, Change change, MeasuredRun after, Errors errors, Gains gains) {
    List<TraceIndex> indexes = before.read();
    WhatIf study = new WhatIf(indexes.getFirst(), baseline(before, indexes));
    Prediction prediction;
    try {
      prediction = study.predict(List.of(change));
    } catch (RuntimeException failure) {
      row("%s | %s | failed: %s", before.name(), change, failure.toString());
      return;
    }
    Estimate step = prediction.after();
    String note =
        prediction.applied().isEmpty() && !prediction.notApplicable().isEmpty()
            ? " (" + prediction.notApplicable().getFirst().why() + ")"
            : "";
    errors.add(step.value(), step.low(), step.high(), after.stepMillis());
    Estimate gain = prediction.gain().millis();
    double measuredGain = before.stepMillis() - after.stepMillis();
    boolean rightSign = signIsRight(prediction, measuredGain, before.stepMillis());
    errors.addSign(rightSign);
    gains.add(gain, measuredGain, before.stepMillis());
    row(
        "%s | %s%s | %.2f | %.2f | %.2f to %.2f | %+.1f %% | %s | %.2f | %.2f | %.2f to %.2f | %s",
        before.name(),
        change,
        note,
        after.stepMillis(),
        step.value(),
        step.low(),
        step.high(),
        100 * (step.value() / after.stepMillis() - 1),
        rightSign ? "right" : "wrong",
        measuredGain,
        gain.value(),
        gain.low(),
        gain.high(),
        gain.low() <= measuredGain && measuredGain <= gain.high() ? "yes" : "no");
  }

  /// A measured change of less than 2 % of the step has no sign: two runs of one program differ by
  /// as much.
  private static boolean signIsRight(Prediction prediction, double measuredGain, double before) {
    double predicted = prediction.before().value() - prediction.after().value();
    return Math.abs(measuredGain) < 0.02 * before || predicted * measuredGain > 0;
  }

  private void findings() throws IOException {
    Path table = folder.resolve("EXPECTED.tsv");
    if (!Files.exists(table)) {
      return;
    }
    heading("First finding");
    tableHead("trace | expected | found | right");
    DataTable expected = DataTable.read(table);
    int right = 0;
    int judged = 0;
    for (int row = 0; row < expected.rows(); row++) {
      MeasuredRun run = runs.get(expected.text(row, "trace"));
      String wanted = expected.text(row, "expected");
      if (run == null) {
        row("%s | %s | no recording | -", expected.text(row, "trace"), wanted);
        continue;
      }
      RankResult result = RunAnalysis.analyze(run.traces().getFirst(), run.read().getFirst());
      List<Finding> found = result.judgement().findings();
      boolean isRight =
          wanted.equals("-")
              ? found.stream().noneMatch(finding -> finding.severity() == Severity.HIGH)
              : !found.isEmpty() && found.getFirst().id().equals(wanted);
      judged++;
      right += isRight ? 1 : 0;
      row(
          "%s | %s | %s | %s",
          run.name(),
          wanted,
          found.isEmpty()
              ? "none"
              : found.getFirst().id()
                  + " ("
                  + found.getFirst().severity().name().toLowerCase(Locale.ROOT)
                  + ")",
          isRight ? "yes" : "no");
    }
    conclusion(right + " of " + judged + " right");
  }

  private Baseline baseline(MeasuredRun run, List<TraceIndex> indexes) {
    return StepEstimator.estimate(indexes, overheads(run.group()));
  }

  private OverheadTable overheads(String group) {
    if (!heldOut) {
      return OverheadTable.shipped();
    }
    DataTable table = DataTable.resource(HELD_OUT);
    for (int row = 0; row < table.rows(); row++) {
      if (table.text(row, "group").equals(group)) {
        StringBuilder one = new StringBuilder(String.join(",", table.columns())).append('\n');
        for (String column : table.columns()) {
          one.append(table.text(row, column)).append(',');
        }
        return new OverheadTable(DataTable.parse(one.toString()));
      }
    }
    return OverheadTable.shipped();
  }

  private void heading(String text) {
    line("");
    line("## " + text);
    line("");
  }

  private void tableHead(String columns) {
    line("| " + columns + " |");
    line("|" + " --- |".repeat(columns.split("\\|").length));
  }

  private void row(String format, Object... cells) {
    line("| " + String.format(Locale.ROOT, format, cells) + " |");
  }

  private void conclusion(String text) {
    line("");
    line("**" + text + "**");
  }

  private void line(String text) {
    System.out.println(text);
    markdown.append(text).append('\n');
  }
}
