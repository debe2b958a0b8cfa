package dev.pitwall.report;

import dev.pitwall.json.JsonWriter;
import dev.pitwall.study.ledger.Ledger;
import dev.pitwall.study.ledger.LedgerEntry;
import dev.pitwall.study.ledger.LedgerScore;
import dev.pitwall.study.ledger.Verification;
import java.util.List;
import java.util.Locale;

/// The ledger and one verification in words, and as JSON.
public final class LedgerText {
  private LedgerText() {}

  /// Adds the scores, then the judgements, the newest first.
  public static void write(Ledger ledger, TextPage page) {
    if (ledger.entries().isEmpty()) {
      page.paragraph(
          "No prediction has been judged yet. `pitwall capture` judges the step it estimates;"
              + " `pitwall diff BEFORE AFTER` judges the gain of a fix between two captures.");
      return;
    }
    TextTable scores =
        TextTable.ofFigures("prediction", "judgements", "off by", "leans", "covered", "corrected");
    for (LedgerScore score : ledger.scores()) {
      String gpu =
          ledger.entries().stream()
              .filter(entry -> entry.subject().equals(score.subject()))
              .map(LedgerEntry::gpu)
              .reduce("", (before, last) -> last);
      double correction = ledger.correction(score.subject(), gpu);
      scores.row(
          score.subject(),
          Quantity.count(score.judgements()),
          Quantity.percent(score.medianAbsoluteError()),
          (score.medianError() > 0 ? "+" : "") + Quantity.percent(score.medianError()),
          score.covered() + " of " + score.judgements(),
          correction == 1 ? "-" : String.format(Locale.ROOT, "x %.2f", correction));
    }
    page.table(scores)
        .blank()
        .paragraph(
            "Off by and leans: medians, as a share of the step. Covered: measured within the"
                + " predicted interval.")
        .blank();
    TextTable judgements =
        new TextTable(
            TextTable.name("judged"),
            TextTable.figure("predicted ms"),
            TextTable.figure("interval"),
            TextTable.figure("measured ms"),
            TextTable.name("run"));
    for (LedgerEntry entry : ledger.entries().reversed()) {
      judgements.row(
          entry.subject(),
          Quantity.number(entry.predicted().value()),
          Quantity.range(entry.predicted()),
          Quantity.number(entry.measuredMillis()),
          entry.before().equals(entry.after())
              ? entry.before()
              : entry.before() + " -> " + entry.after());
    }
    page.table(judgements);
  }

  /// Adds the verdict on a fix.
  public static void write(Verification verification, TextPage page) {
    page.paragraph(
        String.format(
            Locale.ROOT,
            "Fixed: %s. Predicted to save %s a step (%s, simulated); measured %s (%.3f to"
                + " %.3f ms a step).",
            String.join(", ", verification.fixed().stream().sorted().toList()),
            Quantity.millis(verification.predictedGain().value()),
            Quantity.range(verification.predictedGain()),
            Quantity.millis(verification.measuredGainMillis()),
            verification.beforeMillis(),
            verification.afterMillis()));
  }

  /// The schema `pitwall.ledger/1`.
  public static String json(Ledger ledger) {
    JsonWriter out =
        new JsonWriter().object().key("schema").value("pitwall.ledger/1").key("scores").array();
    for (LedgerScore score : ledger.scores()) {
      out.object()
          .key("subject")
          .value(score.subject())
          .key("judgements")
          .value(score.judgements())
          .key("median_error")
          .value(score.medianError())
          .key("median_absolute_error")
          .value(score.medianAbsoluteError())
          .key("covered")
          .value(score.covered())
          .key("median_ratio")
          .value(score.medianRatio())
          .end();
    }
    out.end().key("entries").array();
    List<LedgerEntry> entries = ledger.entries();
    for (LedgerEntry entry : entries) {
      out.object()
          .key("subject")
          .value(entry.subject())
          .key("before")
          .value(entry.before())
          .key("after")
          .value(entry.after())
          .key("gpu")
          .value(entry.gpu())
          .key("step_ms")
          .value(entry.stepMillis())
          .key("predicted_ms")
          .value(entry.predicted().value())
          .key("low_ms")
          .value(entry.predicted().low())
          .key("high_ms")
          .value(entry.predicted().high())
          .key("measured_ms")
          .value(entry.measuredMillis())
          .end();
    }
    return out.end().end() + "\n";
  }
}
