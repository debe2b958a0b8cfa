package dev.pitwall.report;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.json.JsonWriter;
import dev.pitwall.scale.TracePlan;
import java.util.Locale;

/// How a recorded job would scale, as text for a terminal and as JSON.
public final class TracePlanReport {
  private TracePlanReport() {}

  /// The answer as text.
  public static String terminal(TracePlan plan, int columns, boolean coloured) {
    Style style = coloured ? Style.COLOURED : Style.PLAIN;
    int width = Math.clamp(columns, 60, 160);
    StringBuilder out = new StringBuilder();
    PlainText.wrapped(
            String.format(
                Locale.ROOT,
                "This job on %d x %s: %d layers, %s parameters, a step of %s on one GPU without a"
                    + " profiler (%s to %s).",
                plan.cluster().gpus(),
                plan.cluster().gpu().name(),
                plan.traced().layers(),
                Quantity.count(plan.traced().parameters()),
                PlanReport.seconds(plan.singleSeconds().value()),
                PlanReport.seconds(plan.singleSeconds().low()),
                PlanReport.seconds(plan.singleSeconds().high())),
            width)
        .forEach(line -> out.append(line).append('\n'));
    out.append('\n');
    PlainText.wrapped(verdict(plan), width)
        .forEach(line -> out.append(style.bold(line)).append('\n'));
    out.append('\n');
    TextTable table = TextTable.ofFigures("strategy", "step", "exposed", "tokens/s", "scaling");
    for (TracePlan.Way way : plan.ways()) {
      table.row(
          way.name(),
          PlanReport.seconds(way.stepSeconds().value()),
          PlanReport.seconds(way.exposedCommunicationSeconds()),
          times(way.speedup()),
          Quantity.percent(way.scaling()));
    }
    table.lines(width, style).forEach(line -> out.append(line).append('\n'));
    out.append('\n');
    PlainText.wrapped(
            "Tokens/s are those of all GPUs over those of the recorded one; the last column"
                + " compares with as many GPUs that do not talk to each other and accumulate alike."
                + " DDP's first iteration takes "
                + PlanReport.seconds(plan.firstIterationSeconds())
                + ": its gradients go in one bucket behind the whole backward. Simulated from the"
                + " trace's own layers; a strategy's hooks and launches cost what they cost in"
                + " measured runs.",
            width)
        .forEach(line -> out.append(style.dim(line)).append('\n'));
    return out.toString();
  }

  private static String verdict(TracePlan plan) {
    TracePlan.Way best = plan.best();
    StringBuilder verdict = new StringBuilder();
    verdict
        .append(best.name())
        .append(" is the fastest at the recorded batch a GPU: ")
        .append(times(best.speedup()))
        .append(" the tokens/s of one GPU on ")
        .append(plan.cluster().gpus())
        .append(" (")
        .append(Quantity.percent(best.scaling()))
        .append("), a step of ")
        .append(PlanReport.seconds(best.stepSeconds().value()))
        .append(" (")
        .append(PlanReport.seconds(best.stepSeconds().low()))
        .append(" to ")
        .append(PlanReport.seconds(best.stepSeconds().high()))
        .append(").");
    plan.fasterWithALargerBatch()
        .ifPresent(
            larger ->
                verdict
                    .append(" Where a step may take ")
                    .append(larger.strategy().accumulation())
                    .append(" times the batch, ")
                    .append(larger.name())
                    .append(" gives ")
                    .append(times(larger.speedup()))
                    .append('.'));
    return verdict.toString();
  }

  private static String times(double factor) {
    return String.format(Locale.ROOT, "%.2f x", factor);
  }

  /// The answer as JSON.
  public static String json(TracePlan plan) {
    JsonWriter json = new JsonWriter();
    json.object();
    json.key("schema").value("pitwall.report/1");
    json.key("plan").object();
    json.key("gpus").value((long) plan.cluster().gpus());
    json.key("gpu").value(plan.cluster().gpu().name());
    json.key("layers").value(plan.traced().layers());
    json.key("parameters").value(plan.traced().parameters());
    json.key("single_step_ms").value(plan.singleSeconds().value() * 1e3);
    json.key("first_ddp_iteration_ms").value(plan.firstIterationSeconds() * 1e3);
    json.key("best").value(plan.best().name());
    json.key("strategies").array();
    for (TracePlan.Way way : plan.ways()) {
      json.object();
      json.key("name").value(way.name());
      json.key("micro_batches").value((long) way.strategy().accumulation());
      json.key("step_ms").object();
      Estimate step = way.stepSeconds();
      json.key("value").value(step.value() * 1e3);
      json.key("low").value(step.low() * 1e3);
      json.key("high").value(step.high() * 1e3);
      json.key("basis").value(step.basis().name());
      json.end();
      json.key("exposed_communication_ms").value(way.exposedCommunicationSeconds() * 1e3);
      json.key("speedup").value(way.speedup());
      json.key("scaling").value(way.scaling());
      json.end();
    }
    json.end();
    json.end();
    json.end();
    return json + "\n";
  }
}
