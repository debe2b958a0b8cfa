package dev.pitwall.report;

import dev.pitwall.scale.PlanRequest;
import dev.pitwall.scale.PlannedStrategy;
import dev.pitwall.scale.StepTime;
import dev.pitwall.scale.StepTimeline;
import java.util.ArrayList;
import java.util.List;

/// The step of a planned strategy in characters: one bar of its parts in proportion, and the
/// simulated lanes over time.
final class PlanTimeline {
  private static final String SHADES = " ░▒▓█";
  private static final char[] MARKS = {'█', '░', '·', '▒', '▓', '+', '~', '='};
  private static final int LANE_LABEL = 11;

  private PlanTimeline() {}

  static List<String> draw(PlanRequest request, PlannedStrategy planned, int width, Style style) {
    List<StepTime.Part> parts = planned.time().parts();
    double total = planned.time().seconds();
    List<String> lines = new ArrayList<>();
    lines.add(style.bold("The step of one rank, " + planned.strategy().describe()));
    StringBuilder bar = new StringBuilder("  ");
    int room = width - 2;
    for (int i = 0; i < parts.size(); i++) {
      int length = (int) Math.round(parts.get(i).seconds() / total * room);
      bar.append(String.valueOf(MARKS[i]).repeat(length));
    }
    lines.add(bar.substring(0, Math.min(bar.length(), width)));
    int nameWidth = parts.stream().mapToInt(part -> part.name().length()).max().orElse(0) + 2;
    for (int i = 0; i < parts.size(); i++) {
      StepTime.Part part = parts.get(i);
      if (part.seconds() / total >= 0.001) {
        lines.add(
            "  "
                + MARKS[i]
                + " "
                + TextTable.padRight(part.name(), nameWidth)
                + PlanReport.seconds(part.seconds())
                + "  "
                + Quantity.percent(part.seconds() / total));
      }
    }
    if (planned.simulated()) {
      StepTimeline timeline =
          StepTimeline.of(request, planned.strategy(), Math.max(1, width - LANE_LABEL));
      lines.add(style.dim("  " + timeline.what() + ", " + PlanReport.seconds(timeline.seconds())));
      for (StepTimeline.Lane lane : timeline.lanes()) {
        lines.add("  " + TextTable.padRight(lane.name(), LANE_LABEL - 2) + shades(lane.busy()));
      }
    }
    return lines;
  }

  private static String shades(double[] busy) {
    StringBuilder lane = new StringBuilder();
    for (double share : busy) {
      lane.append(SHADES.charAt((int) Math.round(share * (SHADES.length() - 1))));
    }
    return lane.toString();
  }
}
