package dev.pitwall.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.SharedData;
import java.nio.file.Path;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// The scale gear's promises on data that none of its constants were fitted to.
class ScaleBoardTest {
  private static Path data() {
    Path tables = SharedData.require("tables");
    return tables.resolveSibling("");
  }

  @Test
  void throughputOfPublishedRunsIsWithinTheMedianAndOrderPromised() {
    ScaleBoard.Score score = ScaleBoard.throughput(data(), "dev", new TreeMap<>());
    assertThat(score.count()).isGreaterThan(450);
    assertThat(score.median()).isLessThanOrEqualTo(0.15);
    assertThat(score.macroMean()).isLessThanOrEqualTo(0.20);
    assertThat(score.ordered()).isGreaterThanOrEqualTo(0.80);
  }

  @Test
  void memoryOfPublishedRunsIsWithinTwelvePercentAndOutOfMemoryIsCalled() {
    assertThat(ScaleBoard.memory(data(), "dev").median()).isLessThanOrEqualTo(0.12);
    ScaleBoard.OutOfMemory called = ScaleBoard.outOfMemory(data(), "dev");
    assertThat((double) called.called() / called.rows()).isGreaterThanOrEqualTo(0.80);
  }

  @Test
  void everyMeasuredPeakIsWithinSixPercent() {
    ScaleBoard.measuredMemory(data())
        .bySource()
        .forEach(
            (variant, errors) ->
                assertThat(errors.getFirst()).as(variant).isLessThanOrEqualTo(0.06));
  }

  @Test
  void stepsOnTwoGpusFollowFromTheTraceOfOne() {
    ScaleBoard.Score score = ScaleBoard.twoGpus(data());
    assertThat(score.median()).isLessThanOrEqualTo(0.12);
    assertThat(score.ordered()).isGreaterThanOrEqualTo(0.80);
  }

  @Test
  void collectivesOfOneMebibyteAndMoreAreWithinTenPercent() {
    assertThat(ScaleBoard.collectives(data(), "dev").median()).isLessThanOrEqualTo(0.10);
  }

  @Test
  void recordedPipelinesTakeWhatTheirScheduleTakes() {
    ScaleBoard.pipelines(data())
        .bySource()
        .forEach(
            (scenario, errors) ->
                assertThat(errors.getFirst()).as(scenario).isLessThanOrEqualTo(0.08));
  }
}
