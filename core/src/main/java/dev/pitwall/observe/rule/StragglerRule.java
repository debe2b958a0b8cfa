package dev.pitwall.observe.rule;

import dev.pitwall.observe.Observation;

/// Needs the other ranks: says so for a job that has some. Judged where all ranks are at hand.
final class StragglerRule implements Rule {
  @Override
  public String id() {
    return "straggler";
  }

  @Override
  public Verdict judge(Observation observation) {
    return observation.index().trace().recording().worldSize() > 1
        ? new Verdict.CannotJudge(Needs.MORE_RANKS)
        : Verdict.NotApplicable.NOT_APPLICABLE;
  }
}
