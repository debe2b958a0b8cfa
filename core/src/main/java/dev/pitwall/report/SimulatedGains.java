package dev.pitwall.report;

import dev.pitwall.finding.Evidence;
import dev.pitwall.finding.Finding;
import dev.pitwall.observe.rule.RuleEngine.Judgement;
import dev.pitwall.study.WhatIf;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Puts on every finding what its fix saves: the fix is applied to the step's graph and simulated.
/// A finding whose fix no pass can apply keeps the time lost, as measured.
final class SimulatedGains {
  private SimulatedGains() {}

  /// The same judgement with gains, severities that follow them, and in their order; and the
  /// opportunity to compile.
  ///
  /// @param evidence kernels of the program, the costliest first
  static Judgement onJob(Judgement judgement, WhatIf whatIf, List<Evidence> evidence) {
    List<Finding> opportunities = new ArrayList<>(withGains(judgement.opportunities(), whatIf));
    CompileOpportunity.of(whatIf, evidence).ifPresent(opportunities::add);
    opportunities.sort(MOST_GAIN_FIRST);
    return new Judgement(
        withGains(judgement.findings(), whatIf), opportunities, judgement.notJudged());
  }

  /// The same judgement with gains, for a rank that does not stand for its job.
  static Judgement on(Judgement judgement, WhatIf whatIf) {
    return new Judgement(
        withGains(judgement.findings(), whatIf),
        withGains(judgement.opportunities(), whatIf),
        judgement.notJudged());
  }

  private static List<Finding> withGains(List<Finding> findings, WhatIf whatIf) {
    List<Finding> gained = new ArrayList<>();
    for (Finding finding : findings) {
      gained.add(whatIf.gainOf(finding.id()).map(finding::withGain).orElse(finding));
    }
    gained.sort(MOST_GAIN_FIRST);
    return List.copyOf(gained);
  }

  /// What saves nothing last; before that most severe first, then most gain.
  static final Comparator<Finding> MOST_GAIN_FIRST =
      Comparator.comparing((Finding finding) -> finding.gain().isNothing())
          .thenComparing(Finding::severity)
          .thenComparing(finding -> finding.gain().millis().value(), Comparator.reverseOrder());
}
