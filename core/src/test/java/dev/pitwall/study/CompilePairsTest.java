package dev.pitwall.study;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.SharedData;
import dev.pitwall.json.Json;
import dev.pitwall.table.DataTable;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.TraceReaders;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CompilePairsTest {
  private static final double NONE = 0.03;

  /// Every measured pair of programs that differ in compilation. No constant of the predictor was
  /// fitted on the step time of a pair but the two of the host, which any two of three programs
  /// give alike.
  @Test
  void theCompiledStepIsPredictedFromTheEagerTrace() throws IOException {
    DataTable pairs = DataTable.read(SharedData.require("h200/PAIRS.tsv"));
    Map<String, WhatIf> studies = new HashMap<>();
    List<Double> errors = new ArrayList<>();
    List<String> lines = new ArrayList<>();
    int right = 0;
    int all = 0;
    for (int row = 0; row < pairs.rows(); row++) {
      String fix = pairs.text(row, "fix");
      if (!fix.startsWith("compile=")) {
        continue;
      }
      String before = pairs.text(row, "before");
      String after = pairs.text(row, "after");
      Prediction prediction =
          studies
              .computeIfAbsent(before, CompilePairsTest::study)
              .predict(List.of(Change.parse(fix)));
      double measuredBefore = measured(before);
      double measuredAfter = measured(after);
      double error = prediction.after().value() / measuredAfter - 1;
      errors.add(Math.abs(error));
      String said = verdict(prediction.before().value(), prediction.after().value());
      String truth = verdict(measuredBefore, measuredAfter);
      right += said.equals(truth) ? 1 : 0;
      all++;
      lines.add(
          String.format(
              Locale.ROOT,
              "%s %s: predicted %.2f, measured %.2f, %+.1f %%; said %s, was %s",
              before,
              fix,
              prediction.after().value(),
              measuredAfter,
              100 * error,
              said,
              truth));
    }
    Collections.sort(errors);
    assertThat(errors.get(errors.size() / 2)).as("%s", lines).isLessThanOrEqualTo(0.10);
    assertThat(right).as("of %d verdicts: %s", all, lines).isGreaterThanOrEqualTo(8);
  }

  @Test
  void removingTheBreaksOfTheNoisyModelComesToTheModelWithoutThem() throws IOException {
    Prediction prediction =
        study("gpt2_compile/noisy_default").predict(List.of(Change.parse("graph-break")));
    assertThat(prediction.notApplicable()).isEmpty();
    assertThat(prediction.after().value() / measured("gpt2_compile/default")).isBetween(0.90, 1.10);
  }

  private static String verdict(double before, double after) {
    if (after < before * (1 - NONE)) {
      return "gain";
    }
    return after > before * (1 + NONE) ? "slower" : "none";
  }

  private static WhatIf study(String trace) {
    return WhatIf.of(
        TraceIndex.of(
            TraceReaders.read(SharedData.require("h200/" + trace + ".trace.json.gz")), null));
  }

  private static double measured(String variant) throws IOException {
    int slash = variant.indexOf('/');
    for (String line :
        Files.readAllLines(
            SharedData.require("h200/" + variant.substring(0, slash) + "/truth.jsonl"))) {
      Json truth = Json.parse(line);
      if (truth.get("variant").text("").equals(variant.substring(slash + 1))) {
        return truth.get("step_ms").number(-1);
      }
    }
    throw new IllegalStateException("truth.jsonl has no " + variant);
  }
}
