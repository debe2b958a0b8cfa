package dev.pitwall.report;

import dev.pitwall.scale.PlanRequest;
import dev.pitwall.scale.PlannedStrategy;
import dev.pitwall.scale.SimulatedStep;
import dev.pitwall.scale.StepTime;
import java.util.ArrayList;
import java.util.List;

/// The step of one rank as one bar, what each part of it takes in proportion, and the simulated
// streams
/// over time.
final class PlanTimeline {
  private static final String SHADES = " ░▒▓█";
  private static final int LANE_LABEL = 11;

  private PlanTimeline() {}

  static List<String> draw(PlanRequest request, PlannedStrategy planned, int width, Style style) {
    StepTime time = planned.time();
    String[] names = {
      "compute",
      "host launches",
      "pipeline bubble",
      "tensor-parallel communication",
      "gradients and parameters",
      "optimizer",
      "offload",
      "other"
    };
    double[] parts = {
      time.compute(),
      time.host(),
      time.bubble(),
      time.tensor(),
      time.data(),
      time.optimizer(),
      time.offload(),
      time.fixed()
    };
    char[] marks = {'█', '░', '·', '▒', '▓', '+', '~', '='};
    double total = time.seconds();
    List<String> lines = new ArrayList<>();
    lines.add(style.bold("The step of one rank, " + planned.strategy().describe()));
    StringBuilder bar = new StringBuilder("  ");
    int room = width - 2;
    for (int i = 0; i < parts.length; i++) {
      bar.append(String.valueOf(marks[i]).repeat((int) Math.round(parts[i] / total * room)));
    }
    lines.add(bar.substring(0, Math.min(bar.length(), width)));
    for (int i = 0; i < parts.length; i++) {
      if (parts[i] / total >= 0.001) {
        lines.add(
            "  "
                + marks[i]
                + " "
                + TextTable.padRight(names[i], 31)
                + PlanReport.seconds(parts[i])
                + "  "
                + Quantity.percent(parts[i] / total));
      }
    }
    if (planned.simulated()) {
      lanes(lines, request, planned, width - LANE_LABEL, style);
    }
    return lines;
  }

  /// The simulated streams of one micro-batch over time.
  private static void lanes(
      List<String> lines, PlanRequest request, PlannedStrategy planned, int columns, Style style) {
    SimulatedStep step =
        SimulatedStep.ofModel(
            request.model(),
            request.cluster(),
            planned.strategy().withMicroBatch(planned.strategy().microBatch(), 1),
            request.recipe(planned.strategy()));
    double[][] busy = step.lanes(columns);
    lines.add(
        style.dim("  one micro-batch and the optimizer, " + PlanReport.seconds(step.seconds())));
    lines.add("  compute  " + lane(busy[0]));
    lines.add("  network  " + lane(busy[1]));
  }

  private static String lane(double[] busy) {
    StringBuilder lane = new StringBuilder();
    for (double share : busy) {
      lane.append(SHADES.charAt((int) Math.round(share * (SHADES.length() - 1))));
    }
    return lane.toString();
  }
}
