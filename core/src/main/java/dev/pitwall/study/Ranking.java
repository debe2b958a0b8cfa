package dev.pitwall.study;

import java.util.List;

/// All changes that apply to a trace.
///
/// @param alone each by itself, most gain first
/// @param together the combination that gains most
public record Ranking(List<Prediction> alone, Prediction together) {
  public Ranking {
    alone = List.copyOf(alone);
  }
}
