package dev.pitwall.observe.rule;

import dev.pitwall.finding.Finding;

/// What a rule says of a run.
public sealed interface Verdict {
  /// Something is wrong. The finding's gain is the time lost, as measured.
  record Fault(Finding finding) implements Verdict {}

  /// Nothing is wrong, and something would gain.
  record Opportunity(Finding finding) implements Verdict {}

  /// Looked, and found nothing.
  enum Clean implements Verdict {
    CLEAN
  }

  /// The question does not arise in this program (no DataLoader, no convolution, one rank).
  enum NotApplicable implements Verdict {
    NOT_APPLICABLE
  }

  /// The recording lacks what the rule needs: *cannot judge, needs `needs`*.
  record CannotJudge(String needs) implements Verdict {}
}
