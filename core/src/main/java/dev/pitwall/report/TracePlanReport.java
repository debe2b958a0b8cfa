package dev.pitwall.report;

import dev.pitwall.json.JsonWriter;
import dev.pitwall.scale.Cluster;
import dev.pitwall.scale.TracePlanner;
import dev.pitwall.scale.TracedStep;
import java.util.List;
import java.util.Locale;

/// How a recorded job would scale, as text for a terminal and as JSON.
public final class TracePlanReport {
  private TracePlanReport() {}

  /// The answer as text.
  public static String terminal(
      TracedStep traced,
      Cluster cluster,
      double singleSeconds,
      List<TracePlanner.Scaled> scaled,
      int columns,
      boolean coloured) {
    Style style = Style.of(coloured);
    int width = Math.clamp(columns, 60, 160);
    StringBuilder out = new StringBuilder();
    out.append(
        String.format(
            Locale.ROOT,
            "%s on %d x %s: %d layers, %s parameters, a step of %s on one GPU without a"
                + " profiler.%n%n",
            style.bold("This job"),
            cluster.gpus(),
            cluster.gpu().name(),
            traced.layers(),
            Quantity.count(traced.parameters()),
            PlanReport.seconds(singleSeconds)));
    TracePlanner.Scaled best = scaled.getFirst();
    out.append(
        String.format(
            Locale.ROOT,
            "%s keeps %s of the speed of as many single GPUs: a step of %s (%s to %s).%n%n",
            style.bold(best.name()),
            Quantity.percent(best.scaling()),
            PlanReport.seconds(best.stepSeconds().value()),
            PlanReport.seconds(best.stepSeconds().low()),
            PlanReport.seconds(best.stepSeconds().high())));
    TextTable table = TextTable.ofFigures("strategy", "step", "exposed", "scaling");
    for (TracePlanner.Scaled row : scaled) {
      table.row(
          row.name(),
          PlanReport.seconds(row.stepSeconds().value()),
          PlanReport.seconds(row.exposedCommunicationSeconds()),
          Quantity.percent(row.scaling()));
    }
    table.lines(width, style).forEach(line -> out.append(line).append('\n'));
    out.append('\n')
        .append(
            style.dim(
                "Simulated from the trace's own layers; a strategy's hooks and launches cost what"
                    + " they cost in measured runs."))
        .append('\n');
    return out.toString();
  }

  /// The answer as JSON.
  public static String json(
      TracedStep traced, Cluster cluster, double singleSeconds, List<TracePlanner.Scaled> scaled) {
    JsonWriter json = new JsonWriter();
    json.object();
    json.key("schema").value("pitwall.report/1");
    json.key("plan").object();
    json.key("gpus").value((long) cluster.gpus());
    json.key("gpu").value(cluster.gpu().name());
    json.key("layers").value(traced.layers());
    json.key("parameters").value(traced.parameters());
    json.key("single_step_ms").value(singleSeconds * 1e3);
    json.key("strategies").array();
    for (TracePlanner.Scaled row : scaled) {
      json.object();
      json.key("name").value(row.name());
      json.key("step_ms").object();
      json.key("value").value(row.stepSeconds().value() * 1e3);
      json.key("low").value(row.stepSeconds().low() * 1e3);
      json.key("high").value(row.stepSeconds().high() * 1e3);
      json.key("basis").value(row.stepSeconds().basis().name());
      json.end();
      json.key("exposed_communication_ms").value(row.exposedCommunicationSeconds() * 1e3);
      json.key("scaling").value(row.scaling());
      json.end();
    }
    json.end();
    json.end();
    json.end();
    return json + "\n";
  }
}
