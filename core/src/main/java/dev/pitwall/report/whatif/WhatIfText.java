package dev.pitwall.report.whatif;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Gain;
import dev.pitwall.report.Quantity;
import dev.pitwall.report.TextPage;
import dev.pitwall.report.TextTable;
import dev.pitwall.study.Change;
import dev.pitwall.study.Prediction;
import dev.pitwall.study.Ranking;
import dev.pitwall.study.WhatIf.Applicability;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// What-if answers as text for a terminal.
public final class WhatIfText {
  private static final int LONGEST_FORM = 12;

  private WhatIfText() {}

  /// Adds one prediction.
  public static void write(Prediction prediction, TextPage page) {
    step("step now", prediction.before(), page);
    if (prediction.applied().isEmpty()) {
      page.paragraph("none of the fixes applies to this trace");
    } else {
      step("with " + names(prediction.applied()), prediction.after(), page);
      page.paragraph(gainSentence(prediction.gain()));
      if (prediction.workRatio() != 1) {
        page.paragraph(sameWork(prediction));
      }
    }
    for (Prediction.NotApplicable left : prediction.notApplicable()) {
      page.paragraph("not applied: " + left.change() + ": " + left.why());
    }
  }

  /// Adds a ranking and its best combination.
  public static void write(Ranking ranking, TextPage page) {
    step("step now", ranking.together().before(), page);
    if (ranking.alone().isEmpty()) {
      page.paragraph("no fix applies to this trace");
      return;
    }
    TextTable table = TextTable.ofFigures("each alone", "step ms", "saves ms", "of the step");
    for (Prediction alone : ranking.alone()) {
      table.row(
          alone.applied().getFirst().toString(),
          Quantity.number(alone.after().value()),
          Quantity.number(alone.gain().millis().value()),
          Quantity.percent(alone.gain().fraction()));
    }
    page.blank().table(table).blank();
    Prediction together = ranking.together();
    if (together.applied().isEmpty()) {
      page.paragraph("no fix makes the step shorter");
    } else {
      step("best together, " + names(together.applied()), together.after(), page);
      page.paragraph(gainSentence(together.gain()));
    }
  }

  /// Adds which fixes apply, and why the others do not.
  public static void write(List<Applicability> applicability, TextPage page) {
    TextTable apply = new TextTable(TextTable.name("applies"), TextTable.sentence("the change"));
    TextTable others = new TextTable(TextTable.name("does not"), TextTable.sentence("because"));
    for (Applicability one : applicability) {
      String form = one.pass().argumentForm();
      boolean inShort = form.length() > LONGEST_FORM;
      String argument = inShort ? "WORD" : form;
      String id = argument.isEmpty() ? one.pass().id() : one.pass().id() + "=" + argument;
      String words = inShort ? "; WORD is " + form.replace("|", " or ") : "";
      one.obstacle()
          .ifPresentOrElse(
              why -> others.row(id, why), () -> apply.row(id, one.pass().summary() + words));
    }
    if (!apply.isEmpty()) {
      page.table(apply).blank();
    }
    page.table(others);
  }

  private static void step(String what, Estimate millis, TextPage page) {
    page.paragraph(what + ": " + Quantity.millis(millis));
  }

  private static String gainSentence(Gain gain) {
    Estimate millis = gain.millis();
    Estimate size =
        millis.value() < 0
            ? new Estimate(-millis.value(), -millis.high(), -millis.low(), millis.basis())
            : millis;
    return String.format(
        Locale.ROOT,
        "%s %s a step (%s), %s of it",
        millis.value() < 0 ? "costs" : "saves",
        Quantity.millis(size.value()),
        Quantity.range(size),
        Quantity.percent(Math.abs(gain.fraction())));
  }

  /// What the step's length means where the step does not do the same as before.
  private static String sameWork(Prediction prediction) {
    double slower = prediction.millisForSameWork() / prediction.before().value() - 1;
    return String.format(
        Locale.ROOT,
        "a step then does %s times the work: as much as a step does now takes %s, %s %s",
        Quantity.number(prediction.workRatio()),
        Quantity.millis(prediction.millisForSameWork()),
        Quantity.percent(Math.abs(slower)),
        slower > 0 ? "longer" : "less");
  }

  private static String names(List<Change> changes) {
    return changes.stream().map(Change::toString).collect(Collectors.joining(", "));
  }
}
