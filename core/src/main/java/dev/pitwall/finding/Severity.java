package dev.pitwall.finding;

/// How much a finding weighs, by the share of the step its fix gains (DESIGN "findings").
public enum Severity {
  HIGH,
  MEDIUM,
  LOW;

  /// High from 10 % of the step, medium from 3 %, low below.
  public static Severity ofFraction(double fractionOfStep) {
    if (fractionOfStep >= 0.10) {
      return HIGH;
    }
    return fractionOfStep >= 0.03 ? MEDIUM : LOW;
  }
}
