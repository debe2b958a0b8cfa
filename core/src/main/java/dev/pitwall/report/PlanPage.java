package dev.pitwall.report;

import dev.pitwall.scale.MemoryEstimate;
import dev.pitwall.scale.Plan;
import dev.pitwall.scale.PlanRequest;
import dev.pitwall.scale.PlannedStrategy;
import dev.pitwall.scale.StepTime;
import dev.pitwall.scale.StepTimeline;
import java.util.List;
import java.util.Locale;

/// A plan as one HTML file that needs no network, in the style of the report on a run.
public final class PlanPage {
  private static final int SLOTS = 240;
  private static final int LANE_HEIGHT = 22;
  private static final int LABEL_WIDTH = 80;
  private static final int WIDTH = 1000;
  private static final List<String> PART_COLOURS =
      List.of(
          "compute", "host", "idle", "communication", "copies", "kernel", "input", "unexplained");

  private final Plan plan;
  private final PlanRequest request;
  private final Markup out = new Markup();

  private PlanPage(Plan plan) {
    this.plan = plan;
    this.request = plan.request();
  }

  /// The whole page.
  ///
  /// @param explain whether to draw the step of the best strategy over time
  public static String of(Plan plan, boolean explain) {
    PlanPage page = new PlanPage(plan);
    page.write(explain);
    return page.out.toString();
  }

  private void write(boolean explain) {
    HtmlReport.open(out, request.model().name());
    out.raw("<header><span class=\"brand\">Pitwall</span>");
    out.format("<h1>%s</h1>", request.model().name());
    out.raw("<button class=\"theme\" type=\"button\">light / dark</button>");
    out.format("<div class=\"facts\">%s</div></header>\n", facts());
    if (plan.anythingFits()) {
      PlannedStrategy best = plan.best().getFirst();
      out.format(
          "<div class=\"card verdict\">Take %s: %s tokens/s a GPU, a step of %s.</div>\n",
          best.strategy().describe(),
          PlanReport.tokens(best),
          PlanReport.seconds(best.stepSeconds().value()));
      figures(best);
      parts(best);
      if (explain && best.simulated()) {
        timeline(best);
      }
      table("The best", plan.best());
      table("The best of each family", plan.families());
      memory(best);
    } else {
      PlannedStrategy least = plan.leastMemory();
      out.format(
          "<div class=\"card verdict high\">Nothing fits. %s</div>\n",
          least == null ? PlanReport.undivided(plan.request()) : "");
      if (least != null) {
        memory(least);
      }
    }
    if (!plan.sensitivity().isEmpty()) {
      out.raw("<h2>What would change the choice</h2><div class=\"card\">");
      plan.sensitivity().forEach(sentence -> out.format("<p>%s</p>", sentence));
      out.raw("</div>\n");
    }
    out.format("<footer>%s</footer>\n", PlanReport.FOOTNOTE);
    HtmlReport.close(out);
  }

  private String facts() {
    return String.format(
        Locale.ROOT,
        "%s parameters · %d x %s · sequences of %s · %s tokens a step · %s configurations, %s do"
            + " not fit",
        PlanReport.parameters(request.model().parameters()),
        request.cluster().gpus(),
        request.cluster().gpu().name(),
        Quantity.count(request.sequence()),
        Quantity.count(request.globalBatch() * request.sequence()),
        Quantity.count(plan.considered()),
        Quantity.count(plan.outOfMemory()));
  }

  private void figures(PlannedStrategy best) {
    out.raw("<div class=\"figures\">");
    figure(PlanReport.tokens(best), "tokens/s a GPU");
    figure(Quantity.percent(best.mfu()), "model FLOPs utilization");
    figure(
        PlanReport.seconds(best.stepSeconds().value()),
        "a step ("
            + PlanReport.seconds(best.stepSeconds().low())
            + " to "
            + PlanReport.seconds(best.stepSeconds().high())
            + ")");
    figure(
        PlanReport.gib(best.memory().deviceUsed()) + " GiB",
        "of " + PlanReport.gib(best.memory().capacity()) + " GiB a GPU");
    if (best.costPerBillionTokens() > 0) {
      figure(Quantity.number(best.costPerBillionTokens()), "for 1e9 tokens");
    }
    out.raw("</div>\n");
  }

  private void figure(String value, String label) {
    out.format("<div class=\"figure\"><b>%s</b><span>%s</span></div>", value, label);
  }

  private void parts(PlannedStrategy best) {
    List<StepTime.Part> parts = best.time().parts();
    double total = best.time().seconds();
    out.raw("<h2>Where the step goes</h2><div class=\"card\"><div class=\"stack\">");
    for (int i = 0; i < parts.size(); i++) {
      if (parts.get(i).seconds() > 0) {
        out.format(
            "<i style=\"width:%.2f%%;background:var(--%s)\"></i>",
            100 * parts.get(i).seconds() / total, PART_COLOURS.get(i));
      }
    }
    out.raw("</div><div class=\"legend\">");
    for (int i = 0; i < parts.size(); i++) {
      if (parts.get(i).seconds() >= 0.001 * total) {
        out.format(
            "<div><span class=\"dot\" style=\"background:var(--%s)\"></span>%s<em>%s ·"
                + " %s</em></div>",
            PART_COLOURS.get(i),
            parts.get(i).name(),
            PlanReport.seconds(parts.get(i).seconds()),
            Quantity.percent(parts.get(i).seconds() / total));
      }
    }
    out.raw("</div></div>\n");
  }

  private void timeline(PlannedStrategy best) {
    StepTimeline timeline = StepTimeline.of(request, best.strategy(), SLOTS);
    int height = LANE_HEIGHT * timeline.lanes().size();
    out.raw("<h2>The step over time</h2><div class=\"card\">");
    out.format("<p>%s, %s.</p>", timeline.what(), PlanReport.seconds(timeline.seconds()));
    out.format(
        "<svg viewBox=\"0 0 %d %d\" role=\"img\" shape-rendering=\"crispEdges\" aria-label=\"Busy"
            + " lanes over time\">",
        WIDTH, height);
    double slot = (WIDTH - LABEL_WIDTH) / (double) SLOTS;
    for (int lane = 0; lane < timeline.lanes().size(); lane++) {
      StepTimeline.Lane shown = timeline.lanes().get(lane);
      int top = lane * LANE_HEIGHT;
      out.format(
          "<text x=\"0\" y=\"%d\" font-size=\"13\" fill=\"var(--soft)\">%s</text>",
          top + 15, shown.name());
      String colour =
          switch (shown.name()) {
            case "host" -> "host";
            case "network" -> "communication";
            default -> "compute";
          };
      for (int i = 0; i < shown.busy().length; i++) {
        if (shown.busy()[i] > 0.01) {
          out.format(
              "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"var(--%s)\""
                  + " opacity=\"%.2f\"/>",
              LABEL_WIDTH + i * slot, top + 2, slot, LANE_HEIGHT - 4, colour, shown.busy()[i]);
        }
      }
    }
    out.raw("</svg></div>\n");
  }

  private void table(String title, List<PlannedStrategy> rows) {
    boolean priced = request.pricePerGpuHour() > 0;
    out.format("<h2>%s</h2><div class=\"card scroll\"><table><thead><tr>", title);
    out.raw("<th>strategy</th><th>tokens/s/GPU</th><th>MFU</th><th>step</th><th>exposed</th>");
    out.raw("<th>memory</th><th>free</th>");
    out.raw(priced ? "<th>1e9 tokens</th>" : "").raw("<th>limit</th></tr></thead><tbody>");
    for (PlannedStrategy row : rows) {
      out.format(
          "<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s GiB</td><td>%s"
              + " GiB</td>",
          row.strategy().describe(),
          PlanReport.tokens(row),
          Quantity.percent(row.mfu()),
          PlanReport.seconds(row.stepSeconds().value()),
          Quantity.percent(row.exposedCommunicationSeconds() / row.stepSeconds().value()),
          PlanReport.gib(row.memory().deviceUsed()),
          PlanReport.gib(row.memory().headroom()));
      if (priced) {
        out.format("<td>%s</td>", Quantity.number(row.costPerBillionTokens()));
      }
      out.format("<td style=\"white-space:normal\">%s</td></tr>", row.time().limit());
    }
    out.raw("</tbody></table></div>\n");
  }

  private void memory(PlannedStrategy planned) {
    MemoryEstimate memory = planned.memory();
    double largest = memory.owners().getFirst().bytes();
    out.format(
        "<h2>Who holds the memory, at the %s</h2><div class=\"card scroll\"><table><tbody>",
        memory.moment());
    for (MemoryEstimate.Owner owner : memory.owners()) {
      out.format(
          "<tr><td>%s</td><td class=\"bar\"><i style=\"width:%.1f%%\"></i></td><td>%s"
              + " GiB</td></tr>",
          owner.name(), 100 * owner.bytes() / largest, PlanReport.gib(owner.bytes()));
    }
    out.raw("</tbody></table></div>\n");
  }
}
