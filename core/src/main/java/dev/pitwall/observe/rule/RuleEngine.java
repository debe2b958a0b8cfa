package dev.pitwall.observe.rule;

import dev.pitwall.finding.Finding;
import dev.pitwall.finding.NotJudged;
import dev.pitwall.observe.Observation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// All rules, asked in turn.
public final class RuleEngine {
  private static final List<Rule> RULES =
      List.of(
          new NoGpuActivityRule(),
          new InputBoundRule(),
          new GraphBreakRule(),
          new HostSyncRule(),
          new PageableCopyRule(),
          new LaunchBoundRule(),
          new AllocatorThrashRule(),
          new Tf32OffRule(),
          new NoMixedPrecisionRule(),
          new UnfusedAttentionRule(),
          new ChannelsFirstRule(),
          new ActivationCheckpointingRule(),
          new OptimizerForLoopRule(),
          new OptimizerNotFusedRule(),
          new ZeroGradFillRule(),
          new ExposedCommunicationRule(),
          new SmallCollectivesRule(),
          new StragglerRule(),
          new CompileInWindowRule(),
          new CompileLogRule("recompile"),
          new CompileLogRule("cudagraph-skipped"),
          new LowOccupancyRule(),
          new FragmentationRule(),
          new MemoryGrowthRule(),
          new MemoryNearlyFullRule(),
          new DataParallelRule(),
          new SlowBackendRule());

  private RuleEngine() {}

  /// What the rules say of one run.
  ///
  /// @param findings faults, the costliest first; rules of the same loss in the engine's order
  /// @param opportunities what would gain, likewise
  /// @param notJudged rules that lacked an input
  public record Judgement(
      List<Finding> findings, List<Finding> opportunities, List<NotJudged> notJudged) {}

  /// Asks every rule.
  public static Judgement judge(Observation observation) {
    List<Finding> findings = new ArrayList<>();
    List<Finding> opportunities = new ArrayList<>();
    List<NotJudged> notJudged = new ArrayList<>();
    for (Rule rule : RULES) {
      switch (rule.judge(observation)) {
        case Verdict.Fault fault -> findings.add(fault.finding());
        case Verdict.Opportunity opportunity -> opportunities.add(opportunity.finding());
        case Verdict.CannotJudge lacks -> notJudged.add(new NotJudged(rule.id(), lacks.needs()));
        case Verdict.Clean clean -> {}
        case Verdict.NotApplicable notApplicable -> {}
      }
    }
    Comparator<Finding> costliestFirst =
        Comparator.comparing(Finding::severity)
            .thenComparing(finding -> finding.gain().millis().value(), Comparator.reverseOrder());
    findings.sort(costliestFirst);
    opportunities.sort(costliestFirst);
    return new Judgement(List.copyOf(findings), List.copyOf(opportunities), List.copyOf(notJudged));
  }

  /// The ids of all rules, in the engine's order.
  public static List<String> ids() {
    return RULES.stream().map(Rule::id).toList();
  }
}
