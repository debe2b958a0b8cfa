package dev.pitwall.report.whatif;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Gain;
import dev.pitwall.study.Change;
import dev.pitwall.study.Prediction;
import dev.pitwall.study.Ranking;
import dev.pitwall.study.WhatIf.Applicability;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// What-if answers as lines for a terminal, each ending in a line break.
public final class WhatIfText {
  private WhatIfText() {}

  /// One prediction.
  public static String of(Prediction prediction) {
    StringBuilder text = new StringBuilder();
    step(text, "step now", prediction.before());
    if (prediction.applied().isEmpty()) {
      line(text, "none of the fixes applies to this trace");
    } else {
      step(text, "with " + names(prediction.applied()), prediction.after());
      line(text, "%s", gainSentence(prediction.gain()));
    }
    for (Prediction.NotApplicable left : prediction.notApplicable()) {
      line(text, "not applied: %s: %s", left.change(), left.why());
    }
    return text.toString();
  }

  /// A ranking and its best combination.
  public static String of(Ranking ranking) {
    StringBuilder text = new StringBuilder();
    step(text, "step now", ranking.together().before());
    if (ranking.alone().isEmpty()) {
      line(text, "no fix applies to this trace");
      return text.toString();
    }
    line(text, "");
    line(text, "  %-28s %10s %10s   %s", "each alone", "step", "saves", "of the step");
    for (Prediction alone : ranking.alone()) {
      line(
          text,
          "  %-28s %7.2f ms %7.2f ms   %s",
          alone.applied().getFirst(),
          alone.after().value(),
          alone.gain().millis().value(),
          percent(alone.gain().fraction()));
    }
    line(text, "");
    Prediction together = ranking.together();
    if (together.applied().isEmpty()) {
      line(text, "no fix makes the step shorter");
    } else {
      step(text, "best together, " + names(together.applied()), together.after());
      line(text, "%s", gainSentence(together.gain()));
    }
    return text.toString();
  }

  /// Which fixes apply, and why the others do not.
  public static String of(List<Applicability> applicability) {
    StringBuilder text = new StringBuilder();
    for (Applicability one : applicability) {
      String argument = one.pass().argumentForm();
      line(
          text,
          "  %s %-32s %s",
          one.obstacle().isEmpty() ? "+" : "-",
          argument.isEmpty() ? one.pass().id() : one.pass().id() + "=" + argument,
          one.obstacle().map(why -> "does not apply: " + why).orElse(one.pass().summary()));
    }
    return text.toString();
  }

  private static void step(StringBuilder text, String what, Estimate millis) {
    line(
        text,
        "%s: %.2f ms (%.2f to %.2f, %s)",
        what,
        millis.value(),
        millis.low(),
        millis.high(),
        millis.basis().name().toLowerCase(Locale.ROOT));
  }

  private static String gainSentence(Gain gain) {
    double saved = gain.millis().value();
    return String.format(
        Locale.ROOT,
        "%s %.2f ms a step (%.2f to %.2f), %s of it",
        saved < 0 ? "costs" : "saves",
        Math.abs(saved),
        Math.min(Math.abs(gain.millis().low()), Math.abs(gain.millis().high())),
        Math.max(Math.abs(gain.millis().low()), Math.abs(gain.millis().high())),
        percent(Math.abs(gain.fraction())));
  }

  private static String names(List<Change> changes) {
    return changes.stream().map(Change::toString).collect(Collectors.joining(", "));
  }

  private static String percent(double fraction) {
    return String.format(Locale.ROOT, "%.1f %%", fraction * 100);
  }

  private static void line(StringBuilder text, String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
