package dev.pitwall.pass;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.SharedData;
import dev.pitwall.observe.Observation;
import dev.pitwall.observe.rule.RuleEngine;
import dev.pitwall.study.Change;
import dev.pitwall.study.Prediction;
import dev.pitwall.study.WhatIf;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.TraceReaders;
import dev.pitwall.trace.pattern.OptimizerSteps;
import dev.pitwall.trace.pattern.OptimizerSteps.Implementation;
import dev.pitwall.trace.pattern.OptimizerSteps.OptimizerStep;
import java.util.List;
import org.junit.jupiter.api.Test;

/// PyTorch Lightning training ResNet-18 (batch 64, 96 by 96 pixels, bfloat16, SGD) on an H200,
/// three steps recorded by `pitwall capture`: forward and backward run in a closure inside
/// `Optimizer.step`, which is annotated twice, and the step holds two `.item()` outside them.
class ClosureOptimizerTest {
  private static final TraceIndex INDEX =
      TraceIndex.of(
          TraceReaders.read(
              SharedData.repositoryRoot()
                  .resolve(
                      "core/src/test/resources/dev/pitwall/pass/lightning-closure.trace.json.gz")),
          null);

  @Test
  void theOptimizerIsWhatFollowsTheClosure() {
    List<OptimizerStep> steps = OptimizerSteps.find(INDEX);
    assertThat(steps).hasSize(INDEX.steps().count());
    assertThat(steps).allMatch(step -> step.implementation() == Implementation.FOREACH);
    assertThat(steps).allMatch(step -> step.deviceRows().length < 20);
  }

  @Test
  void compilingTheModelOfAClosureSavesTime() {
    assertThat(savedShare("compile=default")).isBetween(0.1, 0.5);
    assertThat(savedShare("compile=reduce-overhead")).isBetween(0.4, 0.8);
  }

  @Test
  void aWaitOutsideForwardAndBackwardDoesNotKeepThemFromACudaGraph() {
    assertThat(savedShare("launch-bound")).isBetween(0.4, 0.8);
  }

  @Test
  void theAdviceNamesTheOptimizerOfTheProgram() {
    assertThat(RuleEngine.judge(Observation.of(INDEX)).findings())
        .filteredOn(finding -> finding.id().equals("launch-bound"))
        .singleElement()
        .satisfies(
            finding ->
                assertThat(finding.fix().code()).contains("torch.optim.SGD(params, fused=True)"));
  }

  @Test
  void fusingASmallOptimizerBehindAClosureIsNoGain() {
    assertThat(savedShare("optimizer-not-fused")).isLessThan(0.05);
  }

  private static double savedShare(String change) {
    Prediction prediction = WhatIf.of(INDEX).predict(List.of(Change.parse(change)));
    assertThat(prediction.notApplicable()).as(change).isEmpty();
    return prediction.gain().fraction();
  }
}
