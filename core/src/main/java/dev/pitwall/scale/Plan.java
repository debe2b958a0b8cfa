package dev.pitwall.scale;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The planner's answer.
///
/// @param considered configurations looked at
/// @param outOfMemory of them, those that do not fit
/// @param best the best few that fit, fastest first
/// @param families the best of each family, fastest first
/// @param leastMemory of what does not fit, the configuration without offload that needs the least
/// @param sensitivity what would change the choice, as sentences
public record Plan(
    PlanRequest request,
    int considered,
    int outOfMemory,
    List<PlannedStrategy> best,
    List<PlannedStrategy> families,
    @Nullable PlannedStrategy leastMemory,
    List<String> sensitivity) {
  public Plan {
    best = List.copyOf(best);
    families = List.copyOf(families);
    sensitivity = List.copyOf(sensitivity);
  }

  public boolean anythingFits() {
    return !best.isEmpty();
  }
}
