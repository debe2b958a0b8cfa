package dev.pitwall.report.comparison;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Finding;
import dev.pitwall.json.JsonWriter;
import dev.pitwall.study.RegressionGate;
import dev.pitwall.study.RunComparison;
import dev.pitwall.study.RunComparison.Change;
import java.util.List;
import java.util.Locale;

/// A comparison as JSON: `pitwall.diff/1`, or `pitwall.gate/1` with the gate's answer in front.
public final class ComparisonJson {
  private ComparisonJson() {}

  /// What changed, by cause.
  public static String of(RunComparison comparison, ReportDifference difference) {
    JsonWriter out = new JsonWriter().object();
    out.key("schema").value("pitwall.diff/1");
    body(out, comparison);
    changes(out, "breakdown", difference.breakdown());
    findings(out, "findings_gone", difference.gone());
    findings(out, "findings_new", difference.come());
    return out.end().toString() + "\n";
  }

  /// The gate's answer and what it rests on.
  public static String of(RegressionGate gate) {
    JsonWriter out = new JsonWriter().object();
    out.key("schema").value("pitwall.gate/1");
    out.key("outcome").value(gate.outcome().name().toLowerCase(Locale.ROOT));
    out.key("max_regression").value(gate.maxRegression());
    body(out, gate.comparison());
    return out.end().toString() + "\n";
  }

  private static void body(JsonWriter out, RunComparison comparison) {
    estimate(out, "before", comparison.before());
    estimate(out, "after", comparison.after());
    out.key("difference_ms").value(comparison.millis());
    out.key("fraction").value(comparison.fraction());
    out.key("noise_ms").value(comparison.noiseMillis());
    out.key("warnings").array();
    comparison.warnings().forEach(out::value);
    out.end();
    changes(out, "causes", comparison.causes());
    changes(out, "kernels", comparison.kernels());
    changes(out, "operators", comparison.operators());
    changes(out, "overlap", List.of(comparison.hiddenCommunication()));
  }

  private static void findings(JsonWriter out, String key, List<Finding> findings) {
    out.key(key).array();
    for (Finding finding : findings) {
      out.object();
      out.key("id").value(finding.id());
      estimate(out, "gain", finding.gain().millis());
      out.end();
    }
    out.end();
  }

  private static void estimate(JsonWriter out, String key, Estimate estimate) {
    out.key(key).object();
    out.key("value_ms").value(estimate.value());
    out.key("low_ms").value(estimate.low());
    out.key("high_ms").value(estimate.high());
    out.key("basis").value(estimate.basis().name());
    out.end();
  }

  private static void changes(JsonWriter out, String key, List<Change> changes) {
    out.key(key).array();
    for (Change change : changes) {
      out.object();
      out.key("name").value(change.name());
      out.key("before_ms").value(change.beforeMillis());
      out.key("after_ms").value(change.afterMillis());
      out.key("change_ms").value(change.millis());
      out.end();
    }
    out.end();
  }
}
