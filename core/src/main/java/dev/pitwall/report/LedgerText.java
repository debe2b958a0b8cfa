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
  private static final String LINE = "%-28s %10s %10s %11s %9s %9s%n";

  private LedgerText() {}

  /// The scores, then the judgements, the newest first.
  public static String of(Ledger ledger) {
    if (ledger.entries().isEmpty()) {
      return "No prediction has been judged yet. `pitwall capture` judges the step it estimates;"
          + " `pitwall diff BEFORE AFTER` judges the gain of a fix between two captures.\n";
    }
    StringBuilder out = new StringBuilder();
    out.append(
        String.format(LINE, "prediction", "judgements", "off by", "leans", "covered", "corrected"));
    for (LedgerScore score : ledger.scores()) {
      String gpu =
          ledger.entries().stream()
              .filter(entry -> entry.subject().equals(score.subject()))
              .map(LedgerEntry::gpu)
              .reduce("", (before, last) -> last);
      double correction = ledger.correction(score.subject(), gpu);
      out.append(
          String.format(
              LINE,
              score.subject(),
              score.judgements(),
              String.format(Locale.ROOT, "%.1f %%", 100 * score.medianAbsoluteError()),
              String.format(Locale.ROOT, "%+.1f %%", 100 * score.medianError()),
              score.covered() + " of " + score.judgements(),
              correction == 1 ? "-" : String.format(Locale.ROOT, "x %.2f", correction)));
    }
    out.append(
        "\n"
            + "Off by and leans: medians, as a share of the step. Covered: measured within the"
            + " predicted interval.\n\n");
    for (LedgerEntry entry : ledger.entries().reversed()) {
      out.append(
          String.format(
              Locale.ROOT,
              "%s: predicted %.2f ms (%.2f to %.2f), measured %.2f ms; %s%n",
              entry.subject(),
              entry.predicted().value(),
              entry.predicted().low(),
              entry.predicted().high(),
              entry.measuredMillis(),
              entry.before().equals(entry.after())
                  ? entry.before()
                  : entry.before() + " -> " + entry.after()));
    }
    return out.toString();
  }

  /// The verdict on a fix.
  public static String of(Verification verification) {
    return String.format(
        Locale.ROOT,
        "Fixed: %s. Predicted to save %.2f ms a step (%.2f to %.2f, simulated); measured %.2f ms"
            + " (%.3f to %.3f ms a step).%n",
        String.join(", ", verification.fixed().stream().sorted().toList()),
        verification.predictedGain().value(),
        verification.predictedGain().low(),
        verification.predictedGain().high(),
        verification.measuredGainMillis(),
        verification.beforeMillis(),
        verification.afterMillis());
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
