package dev.pitwall.study.ledger;

import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.json.Json;
import dev.pitwall.json.JsonWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/// One prediction that a later measurement has judged, in milliseconds of a step.
///
/// @param subject `step` for the unprofiled step, else the ids of the fixes, joined by `+`
/// @param before the run the prediction was made for, a folder
/// @param after the run that was measured; the same folder for `step`
/// @param gpu empty on the CPU
/// @param stepMillis the measured step before the change
/// @param predicted what was predicted: the step, or the gain
/// @param measuredMillis what was measured
public record LedgerEntry(
    String subject,
    String before,
    String after,
    String gpu,
    double stepMillis,
    Estimate predicted,
    double measuredMillis) {
  /// Predicted minus measured, as a share of the step.
  public double errorOfStep() {
    return (predicted.value() - measuredMillis) / stepMillis;
  }

  /// Whether the measurement lies in the predicted interval.
  public boolean isCovered() {
    return predicted.low() <= measuredMillis && measuredMillis <= predicted.high();
  }

  /// Measured over predicted; NaN where nothing was predicted.
  public double ratio() {
    return predicted.value() > 0 ? measuredMillis / predicted.value() : Double.NaN;
  }

  /// Whether both judge the same prediction by the same run.
  boolean sameQuestion(LedgerEntry other) {
    return subject.equals(other.subject)
        && before.equals(other.before)
        && after.equals(other.after);
  }

  /// One line of the ledger's file.
  String line() {
    Map<String, String> members = new LinkedHashMap<>();
    members.put("subject", quoted(subject));
    members.put("before", quoted(before));
    members.put("after", quoted(after));
    members.put("gpu", quoted(gpu));
    members.put("step_ms", number(stepMillis));
    members.put("predicted_ms", number(predicted.value()));
    members.put("low_ms", number(predicted.low()));
    members.put("high_ms", number(predicted.high()));
    members.put("basis", quoted(predicted.basis().name()));
    members.put("measured_ms", number(measuredMillis));
    StringBuilder out = new StringBuilder("{");
    members.forEach(
        (key, value) ->
            out.append(out.length() > 1 ? "," : "").append(quoted(key)).append(':').append(value));
    return out.append('}').toString();
  }

  static LedgerEntry of(Json line) {
    double value = line.get("predicted_ms").number(0);
    return new LedgerEntry(
        line.get("subject").text(""),
        line.get("before").text(""),
        line.get("after").text(""),
        line.get("gpu").text(""),
        line.get("step_ms").number(Double.NaN),
        new Estimate(
            value,
            Math.min(value, line.get("low_ms").number(value)),
            Math.max(value, line.get("high_ms").number(value)),
            basis(line.get("basis").text(""))),
        line.get("measured_ms").number(Double.NaN));
  }

  private static Basis basis(String name) {
    for (Basis basis : Basis.values()) {
      if (basis.name().equals(name)) {
        return basis;
      }
    }
    return Basis.SIMULATED;
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.6f", value);
  }

  private static String quoted(String text) {
    // the writer escapes; a text alone is a document of one line
    return new JsonWriter().value(text).toString();
  }
}
