package dev.pitwall.observe.rule;

import dev.pitwall.observe.Observation;

/// One named fault or opportunity. Stateless: the same observation always gets the same verdict.
public interface Rule {
  /// The contract id, such as `host-sync`.
  String id();

  /// What this rule says of a run.
  Verdict judge(Observation observation);
}
