package dev.pitwall.report;

import dev.pitwall.scale.PlannedStrategy;
import dev.pitwall.scale.StepTime;
import java.util.ArrayList;
import java.util.List;

/// The step of one rank as one bar: what each part of it takes, in proportion.
final class PlanTimeline {
  private PlanTimeline() {}

  static List<String> draw(PlannedStrategy planned, int width, Style style) {
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
    return lines;
  }
}
