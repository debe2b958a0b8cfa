package dev.pitwall.report.whatif;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.json.JsonWriter;
import dev.pitwall.study.Change;
import dev.pitwall.study.Prediction;
import dev.pitwall.study.Ranking;
import dev.pitwall.study.WhatIf.Applicability;
import java.util.List;
import java.util.Locale;

/// The schema `pitwall.whatif/1`: `before` and `after` a step in milliseconds, without the
/// recorder; `fixes` what was applied, in order; `not_applicable` what was not, with the reason. A
/// ranking adds `ranking`, each change alone, and a list of the known fixes adds `applicable`.
public final class WhatIfJson {
  private WhatIfJson() {}

  /// One prediction.
  public static String of(Prediction prediction) {
    JsonWriter json = new JsonWriter().object();
    write(json, prediction);
    return json.end() + "\n";
  }

  /// A ranking: the members of its best combination, and each change alone.
  public static String of(Ranking ranking, List<Applicability> applicability) {
    JsonWriter json = new JsonWriter().object();
    writeHead(json, ranking.together());
    json.key("not_applicable").array();
    for (Applicability one : applicability) {
      one.obstacle().ifPresent(why -> writeObstacle(json, one.pass().id(), why));
    }
    json.end();
    json.key("ranking").array();
    for (Prediction alone : ranking.alone()) {
      json.object().key("fix").value(alone.applied().getFirst().toString());
      writeEstimate(json.key("after"), alone.after());
      json.key("gain")
          .object()
          .key("value_ms")
          .value(alone.gain().millis().value())
          .key("low_ms")
          .value(alone.gain().millis().low())
          .key("high_ms")
          .value(alone.gain().millis().high())
          .key("fraction")
          .value(alone.gain().fraction())
          .key("basis")
          .value(alone.gain().millis().basis().name())
          .end()
          .end();
    }
    return json.end().end() + "\n";
  }

  /// Which fixes apply.
  public static String of(Estimate before, List<Applicability> applicability) {
    JsonWriter json = new JsonWriter().object().key("schema").value("pitwall.whatif/1");
    writeEstimate(json.key("before"), before);
    json.key("applicable").array();
    for (Applicability one : applicability) {
      if (one.obstacle().isEmpty()) {
        json.object()
            .key("id")
            .value(one.pass().id())
            .key("argument")
            .value(one.pass().argumentForm())
            .key("summary")
            .value(one.pass().summary())
            .end();
      }
    }
    json.end().key("not_applicable").array();
    for (Applicability one : applicability) {
      one.obstacle().ifPresent(why -> writeObstacle(json, one.pass().id(), why));
    }
    return json.end().end() + "\n";
  }

  private static void write(JsonWriter json, Prediction prediction) {
    writeHead(json, prediction);
    json.key("not_applicable").array();
    for (Prediction.NotApplicable left : prediction.notApplicable()) {
      writeObstacle(json, left.change().toString(), left.why());
    }
    json.end();
  }

  private static void writeHead(JsonWriter json, Prediction prediction) {
    json.key("schema").value("pitwall.whatif/1");
    writeEstimate(json.key("before"), prediction.before());
    writeEstimate(json.key("after"), prediction.after());
    if (prediction.workRatio() != 1) {
      json.key("work_ratio").value(prediction.workRatio());
    }
    json.key("fixes").array();
    for (Change change : prediction.applied()) {
      json.value(change.toString());
    }
    json.end();
  }

  private static void writeObstacle(JsonWriter json, String id, String why) {
    json.object().key("id").value(id).key("why").value(why).end();
  }

  private static void writeEstimate(JsonWriter json, Estimate estimate) {
    json.object()
        .key("value_ms")
        .value(estimate.value())
        .key("low_ms")
        .value(estimate.low())
        .key("high_ms")
        .value(estimate.high())
        .key("basis")
        .value(estimate.basis().name().toUpperCase(Locale.ROOT))
        .end();
  }
}
