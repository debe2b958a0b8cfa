package dev.pitwall.study;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Gain;
import java.util.List;

/// What changes would do to a step.
///
/// @param before the step as it is, in milliseconds, without the recorder
/// @param after the step with all applied changes
/// @param gain what they save; negative where they cost
/// @param applied the changes in the order of their application
/// @param notApplicable the changes that were asked for and do not apply, with the reason
/// @param workRatio samples or tokens of a step after the changes over those now; mostly 1
public record Prediction(
    Estimate before,
    Estimate after,
    Gain gain,
    List<Change> applied,
    List<NotApplicable> notApplicable,
    double workRatio) {
  public Prediction {
    applied = List.copyOf(applied);
    notApplicable = List.copyOf(notApplicable);
  }

  /// What the work of a step of now would take after the changes, in milliseconds.
  public double millisForSameWork() {
    return after.value() / workRatio;
  }

  /// A change that does not apply to this trace.
  ///
  /// @param why a sentence
  public record NotApplicable(Change change, String why) {}
}
