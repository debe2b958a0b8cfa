package dev.pitwall.finding;

import java.util.List;

/// A rule's verdict: what is wrong, why it costs time, the fix and what the fix gains.
///
/// @param id the contract id, such as `host-sync`
/// @param title one sentence with the numbers in it
/// @param why the mechanism, for an engineer who has not met it
/// @param evidence the slices it rests on, costliest first; never empty for a finding about time
public record Finding(
    String id,
    Severity severity,
    String title,
    String why,
    Fix fix,
    Gain gain,
    List<Evidence> evidence) {
  public Finding {
    evidence = List.copyOf(evidence);
  }

  /// The same finding with another gain, its severity following the gain.
  public Finding withGain(Gain newGain) {
    return new Finding(
        id, Severity.ofFraction(newGain.fraction()), title, why, fix, newGain, evidence);
  }
}
