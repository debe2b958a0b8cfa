package dev.pitwall.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.pitwall.SharedData;
import dev.pitwall.report.TextPage;
import dev.pitwall.report.comparison.ComparisonText;
import dev.pitwall.study.RegressionGate.Outcome;
import dev.pitwall.trace.TraceFiles;
import dev.pitwall.trace.TraceIndex;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunComparisonTest {
  private static RunComparison compare(String before, String after) {
    return RunComparison.of(
        StepEstimator.estimate(trace(before)), StepEstimator.estimate(trace(after)));
  }

  private static TraceIndex trace(String name) {
    return TraceIndex.of(
        TraceFiles.read(SharedData.require("h200/" + name + ".trace.json.gz")).getFirst(), null);
  }

  @Test
  void theCausesSumToTheDifference() {
    for (String after : List.of("gpt2/noisy", "gpt2/math_attention", "small/base")) {
      RunComparison comparison = compare("gpt2/base", after);
      double sum = comparison.causes().stream().mapToDouble(RunComparison.Change::millis).sum();
      assertThat(sum).as(after).isCloseTo(comparison.millis(), within(0.001));
    }
  }

  @Test
  void unfusedAttentionIsFoundInTheKernels() {
    RunComparison comparison = compare("gpt2/base", "gpt2/math_attention");
    assertThat(comparison.millis()).isCloseTo(113.26 - 44.45, within(3.0));
    assertThat(comparison.causes().getFirst().name()).isEqualTo("kernels");
    assertThat(new RegressionGate(comparison, 0.03).outcome()).isEqualTo(Outcome.FAILED);
  }

  @Test
  void onlyRunsOfDifferentProgramsAreWarnedOf() {
    assertThat(compare("gpt2/base", "resnet/base").warning())
        .hasValueSatisfying(
            warning -> assertThat(warning).startsWith("These seem to be two different programs"));
    assertThat(compare("resnet/fp32", "resnet/base").warning()).isEmpty();
    assertThat(compare("resnet/channels_last", "resnet/compile_reduce_overhead").warning())
        .isEmpty();
  }

  @Test
  void aRunAgainstItselfPassesTheStrictestGate() {
    RunComparison comparison = compare("resnet/batch16", "resnet/batch16");
    assertThat(comparison.millis()).isZero();
    assertThat(new RegressionGate(comparison, 0).outcome()).isEqualTo(Outcome.PASSED);
  }

  @Test
  void aRecordingThatCannotBeTrustedDoesNotPass() {
    RunComparison comparison =
        compare("resnet/batch16", "resnet/batch16").withDoubts(List.of("It holds no GPU work."));
    RegressionGate gate = new RegressionGate(comparison, 0.03);
    assertThat(gate.outcome()).isEqualTo(Outcome.UNTRUSTED);
    assertThat(gate.fails()).isTrue();
    assertThat(comparison.warnings()).containsExactly("It holds no GPU work.");
    TextPage page = new TextPage(100, false);
    ComparisonText.write(gate, "before", "after", page);
    assertThat(page.toString()).containsOnlyOnce("It holds no GPU work.");
  }

  @Test
  void aSmallDifferenceOfHostBoundRunsIsNoise() {
    RunComparison comparison = compare("gpt2/base", "gpt2/pinned");
    assertThat(new RegressionGate(comparison, 0.001).outcome()).isEqualTo(Outcome.WITHIN_NOISE);
  }
}
