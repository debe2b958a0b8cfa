package dev.pitwall.observe.rule;

import dev.pitwall.observe.Observation;
import dev.pitwall.trace.pattern.CompiledRegions;

/// A fault of torch.compile that a trace alone does not show: says what would show it, where the
/// program is compiled at all.
final class CompileLogRule implements Rule {
  private final String id;

  CompileLogRule(String id) {
    this.id = id;
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public Verdict judge(Observation observation) {
    boolean compiled = CompiledRegions.find(observation.index()).length > 0;
    return compiled
        ? new Verdict.CannotJudge(Needs.COMPILE_LOG)
        : Verdict.NotApplicable.NOT_APPLICABLE;
  }
}
