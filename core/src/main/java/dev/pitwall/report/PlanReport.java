package dev.pitwall.report;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.json.JsonWriter;
import dev.pitwall.scale.MemoryEstimate;
import dev.pitwall.scale.Plan;
import dev.pitwall.scale.PlanRequest;
import dev.pitwall.scale.PlannedStrategy;
import dev.pitwall.scale.StepTime;
import dev.pitwall.scale.StepTimeline;
import dev.pitwall.scale.Strategy;
import java.util.List;
import java.util.Locale;

/// A plan as text for a terminal and as JSON.
public final class PlanReport {
  private static final int NARROWEST = 60;
  private static final int WIDEST = 160;
  private static final int FAMILIES = 10;
  private static final int JSON_SLOTS = 200;
  private static final double GIB = 1L << 30;

  static final String FOOTNOTE =
      "MFU counts 6 x parameters + 12 x layers x width x sequence FLOPs a token (attention in full,"
          + " recomputation not) over the dense bf16 peak. Half of published runs lie within 13 %"
          + " of a prediction, nine in ten within the interval; a run settles it. DDP runs under"
          + " autocast, which keeps residuals and the loss in fp32; in the others they are bf16 and"
          + " need less.";

  private final Plan plan;
  private final PlanRequest request;
  private final int width;
  private final Style style;
  private final StringBuilder out = new StringBuilder();

  private PlanReport(Plan plan, int width, Style style) {
    this.plan = plan;
    this.request = plan.request();
    this.width = Math.clamp(width, NARROWEST, WIDEST);
    this.style = style;
  }

  /// The plan as text.
  ///
  /// @param explain whether to draw the step of the best strategy
  public static String terminal(Plan plan, int width, boolean coloured, boolean explain) {
    PlanReport report = new PlanReport(plan, width, Style.of(coloured));
    report.write(explain);
    return report.out.toString();
  }

  private void write(boolean explain) {
    wrapped(
        "",
        style.bold(request.model().name())
            + String.format(
                Locale.ROOT,
                ", %s parameters, on %d x %s (%s of %d), sequences of %s, %s tokens a step",
                parameters(request.model().parameters()),
                request.cluster().gpus(),
                request.cluster().gpu().name(),
                request.cluster().nodes() == 1 ? "1 node" : request.cluster().nodes() + " nodes",
                request.cluster().gpusPerNode(),
                Quantity.count(request.sequence()),
                Quantity.count(request.globalBatch() * request.sequence())));
    line(
        style.dim(
            Quantity.count(plan.considered())
                + " configurations looked at, "
                + Quantity.count(plan.outOfMemory())
                + " do not fit in memory."));
    line("");
    if (!plan.anythingFits()) {
      nothingFits();
      return;
    }
    verdict();
    table("The best", plan.best());
    table(
        "The best of each family",
        plan.families().subList(0, Math.min(FAMILIES, plan.families().size())));
    line(style.bold("Why, and what limits each"));
    for (PlannedStrategy planned :
        plan.families().subList(0, Math.min(4, plan.families().size()))) {
      reason(planned);
    }
    line("");
    if (explain) {
      PlannedStrategy best = plan.best().getFirst();
      PlanTimeline.draw(request, best, width - 2, style).forEach(this::line);
      line("");
      plan.families().stream()
          .filter(family -> family.simulated() && !best.simulated())
          .findFirst()
          .ifPresent(
              family -> {
                PlanTimeline.draw(request, family, width - 2, style).forEach(this::line);
                line("");
              });
    }
    line(style.bold("What would change the choice"));
    plan.sensitivity().forEach(sentence -> wrapped("  ", sentence));
    line("");
    wrapped("", FOOTNOTE);
  }

  private void verdict() {
    PlannedStrategy best = plan.best().getFirst();
    wrapped(
        "",
        "Take "
            + style.bold(best.strategy().describe())
            + ": "
            + tokens(best)
            + " tokens/s a GPU, a step of "
            + seconds(best.stepSeconds().value())
            + " ("
            + seconds(best.stepSeconds().low())
            + " to "
            + seconds(best.stepSeconds().high())
            + "), "
            + gib(best.memory().deviceUsed())
            + " of "
            + gib(best.memory().capacity())
            + " GiB.");
    plan.best().stream()
        .skip(1)
        .filter(other -> other.stepSeconds().value() < best.stepSeconds().value())
        .findFirst()
        .ifPresent(
            faster ->
                wrapped(
                    "",
                    faster.strategy().describe()
                        + " would be "
                        + Quantity.percent(
                            1 - faster.stepSeconds().value() / best.stepSeconds().value())
                        + " faster, which is less than a plan can tell, and splits every layer."));
    PlannedStrategy least = plan.leastMemory();
    if (best.strategy().offload().any() && least != null) {
      wrapped(
          "",
          style.yellow("Without offload it does not fit:")
              + " the least any strategy needs is "
              + gib(least.memory().deviceUsed())
              + " GiB a GPU ("
              + least.strategy().describe()
              + "); parameters, gradients and optimizer state alone are "
              + gib(request.model().parameters() * 16 / request.cluster().gpus())
              + " GiB.");
    }
    line("");
  }

  private void nothingFits() {
    PlannedStrategy least = plan.leastMemory();
    wrapped(
        "",
        style.red("Nothing fits.")
            + (least == null
                ? " " + undivided(request)
                : " The least memory without offload is "
                    + gib(least.memory().deviceUsed())
                    + " GiB a GPU ("
                    + least.strategy().describe()
                    + "), and a GPU has "
                    + gib(least.memory().capacity())
                    + "."));
    if (least != null) {
      owners(least);
      wrapped("", "Take more GPUs, offload to a larger host, or a smaller model.");
    }
  }

  /// Why not one configuration could be looked at.
  static String undivided(PlanRequest request) {
    return "No configuration divides "
        + Quantity.count(request.cluster().gpus())
        + " GPUs and a batch of "
        + Quantity.count(request.globalBatch())
        + " sequences: take a number of GPUs that divides the batch, or change the batch with"
        + " --global-batch-tokens.";
  }

  private void table(String title, List<PlannedStrategy> rows) {
    line(style.bold(title));
    boolean wide = width >= 110;
    boolean priced = request.pricePerGpuHour() > 0;
    TextTable table =
        wide
            ? priced
                ? TextTable.ofFigures(
                    "strategy",
                    "tokens/s/GPU",
                    "MFU",
                    "step",
                    "exposed",
                    "memory",
                    "free",
                    "per 1e9 tokens")
                : TextTable.ofFigures(
                    "strategy", "tokens/s/GPU", "MFU", "step", "exposed", "memory", "free")
            : TextTable.ofFigures("strategy", "tok/s/GPU", "MFU", "step", "GiB");
    for (PlannedStrategy row : rows) {
      String name = row.strategy().describe();
      if (wide) {
        String[] cells = {
          name,
          tokens(row),
          Quantity.percent(row.mfu()),
          seconds(row.stepSeconds().value()),
          Quantity.percent(row.exposedCommunicationSeconds() / row.stepSeconds().value()),
          gib(row.memory().deviceUsed()) + " GiB",
          gib(row.memory().headroom()) + " GiB"
        };
        if (priced) {
          table.row(
              cells[0],
              cells[1],
              cells[2],
              cells[3],
              cells[4],
              cells[5],
              cells[6],
              Quantity.number(row.costPerBillionTokens()));
        } else {
          table.row(cells);
        }
      } else {
        table.row(
            name,
            tokens(row),
            Quantity.percent(row.mfu()),
            seconds(row.stepSeconds().value()),
            gib(row.memory().deviceUsed()));
      }
    }
    table.lines(width, style).forEach(this::line);
    line("");
  }

  private void reason(PlannedStrategy planned) {
    MemoryEstimate memory = planned.memory();
    wrapped(
        "  ",
        style.bold(planned.strategy().describe())
            + ": limited by "
            + planned.time().limit()
            + "; memory peaks at the "
            + memory.moment()
            + ", most of it "
            + memory.owners().getFirst().name()
            + " ("
            + gib(memory.owners().getFirst().bytes())
            + " GiB); "
            + gib(memory.allocated())
            + " GiB allocated, "
            + gib(memory.reserved())
            + " reserved, "
            + gib(memory.deviceUsed())
            + " in nvidia-smi.");
  }

  private void owners(PlannedStrategy planned) {
    TextTable table =
        TextTable.ofFigures("held at the peak (" + planned.memory().moment() + ")", "GiB a GPU");
    planned.memory().owners().stream()
        .limit(6)
        .forEach(owner -> table.row(owner.name(), gib(owner.bytes())));
    table.lines(width, style).forEach(this::line);
    line("");
  }

  private void wrapped(String indent, String text) {
    PlainText.wrapped(text, width - indent.length()).forEach(part -> line(indent + part));
  }

  private void line(String text) {
    out.append(text).append('\n');
  }

  static String tokens(PlannedStrategy planned) {
    return Quantity.count(Math.round(planned.tokensPerSecondPerGpu()));
  }

  static String gib(double bytes) {
    return Quantity.number(bytes / GIB);
  }

  static String seconds(double seconds) {
    return Quantity.millis(seconds * 1e3);
  }

  static String parameters(double count) {
    return count >= 1e12
        ? Quantity.number(count / 1e12) + " T"
        : count >= 1e9 ? Quantity.number(count / 1e9) + " B" : Quantity.number(count / 1e6) + " M";
  }

  /// The plan as JSON: a `plan` inside the envelope of every report.
  ///
  /// @param explain whether to add the timeline of the best strategy
  public static String json(Plan plan, boolean explain) {
    JsonWriter json = new JsonWriter();
    json.object();
    json.key("schema").value("pitwall.report/1");
    json.key("plan").object();
    json.key("model").value(plan.request().model().name());
    json.key("parameters").value(plan.request().model().parameters());
    json.key("gpu").value(plan.request().cluster().gpu().name());
    json.key("gpus").value((long) plan.request().cluster().gpus());
    json.key("sequence").value((long) plan.request().sequence());
    json.key("tokens_per_step").value(plan.request().globalBatch() * plan.request().sequence());
    json.key("considered").value((long) plan.considered());
    json.key("out_of_memory").value((long) plan.outOfMemory());
    json.key("fits").value(plan.anythingFits());
    strategies(json, "best", plan.best());
    strategies(json, "families", plan.families());
    PlannedStrategy least = plan.leastMemory();
    if (least != null) {
      strategies(json, "least_memory_that_does_not_fit", List.of(least));
    }
    json.key("sensitivity").array();
    plan.sensitivity().forEach(json::value);
    json.end();
    if (explain && plan.anythingFits()) {
      timeline(json, plan);
    }
    json.end();
    json.end();
    return json + "\n";
  }

  private static void timeline(JsonWriter json, Plan plan) {
    Strategy best = plan.best().getFirst().strategy();
    StepTimeline timeline = StepTimeline.of(plan.request(), best, JSON_SLOTS);
    json.key("timeline").object();
    json.key("strategy").value(best.describe());
    json.key("shows").value(timeline.what());
    json.key("length_ms").value(timeline.seconds() * 1e3);
    json.key("lanes").array();
    for (StepTimeline.Lane lane : timeline.lanes()) {
      json.object();
      json.key("name").value(lane.name());
      json.key("busy").array();
      for (double share : lane.busy()) {
        json.value(Math.round(share * 1000) / 1000.0);
      }
      json.end();
      json.end();
    }
    json.end();
    json.end();
  }

  private static void strategies(JsonWriter json, String key, List<PlannedStrategy> rows) {
    json.key(key).array();
    for (PlannedStrategy row : rows) {
      json.object();
      json.key("family").value(row.family());
      json.key("strategy").value(row.strategy().describe());
      json.key("tokens_per_s_per_gpu").value(row.tokensPerSecondPerGpu());
      json.key("mfu").value(row.mfu());
      Estimate step = row.stepSeconds();
      json.key("step_ms").object();
      json.key("value").value(step.value() * 1e3);
      json.key("low").value(step.low() * 1e3);
      json.key("high").value(step.high() * 1e3);
      json.key("basis").value(step.basis().name());
      json.end();
      json.key("exposed_communication_ms").value(row.exposedCommunicationSeconds() * 1e3);
      json.key("limited_by").value(row.time().limit());
      json.key("parts_ms").object();
      for (StepTime.Part part : row.time().parts()) {
        json.key(part.name().replace(' ', '_').replace('-', '_')).value(part.seconds() * 1e3);
      }
      json.end();
      json.key("cost_per_billion_tokens").value(row.costPerBillionTokens());
      MemoryEstimate memory = row.memory();
      json.key("memory").object();
      json.key("allocated_bytes").value(Math.round(memory.allocated()));
      json.key("reserved_bytes").value(Math.round(memory.reserved()));
      json.key("nvidia_smi_bytes").value(Math.round(memory.deviceUsed()));
      json.key("capacity_bytes").value(Math.round(memory.capacity()));
      json.key("peak_moment").value(memory.moment());
      json.key("owners").array();
      for (MemoryEstimate.Owner owner : memory.owners()) {
        json.object();
        json.key("name").value(owner.name());
        json.key("bytes").value(Math.round(owner.bytes()));
        json.end();
      }
      json.end();
      json.end();
      json.end();
    }
    json.end();
  }
}
