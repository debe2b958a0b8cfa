package dev.pitwall.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.pitwall.SharedData;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.TraceGraph;
import dev.pitwall.simulate.SteadyState;
import dev.pitwall.trace.TraceFiles;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.TraceReaders;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StepEstimatorTest {
  private static TraceIndex trace(String name) {
    return TraceIndex.of(
        TraceFiles.read(SharedData.require("h200/" + name + ".trace.json.gz")).getFirst(), null);
  }

  @ParameterizedTest
  @CsvSource({
    "gpt2/base, 44.45",
    "gpt2/batch8, 26.06",
    "gpt2/batch32, 83.06",
    "gpt2/forloop_adamw, 45.50",
    "llama/base, 65.93",
    "llama/seq1024, 36.01",
    "resnet/channels_last, 29.49",
    "resnet/noncontiguous, 38.16",
    "gpt2_compile/reduce_overhead, 35.30"
  })
  void aDeviceBoundStepIsEstimatedWithinFourPercent(String name, double measuredMillis) {
    Estimate step = StepEstimator.estimate(trace(name)).stepMillis();
    assertThat(step.value()).isCloseTo(measuredMillis, within(0.04 * measuredMillis));
    assertThat(measuredMillis).isBetween(step.low(), step.high());
  }

  @ParameterizedTest
  @CsvSource({"gpt2/noisy, 49.14", "resnet/batch16, 30.62", "small/default, 24.26"})
  void aHostBoundStepLiesInItsWiderInterval(String name, double measuredMillis) {
    Estimate step = StepEstimator.estimate(trace(name)).stepMillis();
    assertThat(measuredMillis).isBetween(step.low(), step.high());
    assertThat(step.high() / step.low()).isGreaterThan(1.08);
  }

  @Test
  void withoutTheRecorderNoStepIsLonger() {
    for (String name : List.of("gpt2/base_stack", "small/base", "memory/w8_ddp_d1024_L12")) {
      TraceGraph traced = TraceGraph.of(trace(name));
      ExecutionGraph graph = traced.graph();
      long[] without =
          OverheadTable.shipped()
              .costs(traced.index())
              .durationsWithout(new RecordedThings(traced));
      for (int node = 0; node < without.length; node++) {
        assertThat(without[node]).isLessThanOrEqualTo(graph.durationNanos(node));
      }
      assertThat(SteadyState.of(graph.withDurationsNanos(without)).stepNanos())
          .isLessThanOrEqualTo(SteadyState.of(graph).stepNanos());
    }
  }

  @Test
  void unfairWindowsSayWhy() {
    assertThat(StepEstimator.estimate(trace("resnet/loader_w2")).remarks())
        .anyMatch(remark -> remark.contains("waits for input"));
    assertThat(StepEstimator.estimate(trace("llama/layers4")).remarks())
        .anyMatch(remark -> remark.contains("clock"));
    assertThat(StepEstimator.estimate(trace("gpt2/varlen")).remarks())
        .anyMatch(remark -> remark.contains("differs by"));
    assertThat(StepEstimator.estimate(trace("gpt2/batch32")).remarks()).isEmpty();
  }

  @Test
  void bothRanksTellMoreThanOne() {
    Estimate one = StepEstimator.estimate(trace("multi/s_ddp.rank0")).stepMillis();
    Estimate both =
        StepEstimator.estimate(List.of(trace("multi/s_ddp.rank0"), trace("multi/s_ddp.rank1")))
            .stepMillis();
    assertThat(both.value()).isCloseTo(46.13, within(0.1 * 46.13));
    assertThat(one.high()).isGreaterThan(46.13);
  }

  @Test
  void aStreamThatBeginsLongAfterItsFirstLaunchHasAStep() {
    TraceIndex index =
        TraceIndex.of(
            TraceReaders.read(
                SharedData.require(
                    "corpus/kineto/facebookresearch__HolisticTraceAnalysis/call_stack__backward_thread.json")),
            null);
    assertThat(StepEstimator.estimate(index).stepMillis().value()).isGreaterThan(300);
  }
}
