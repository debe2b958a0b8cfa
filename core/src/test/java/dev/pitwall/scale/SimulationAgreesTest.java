package dev.pitwall.scale;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/// The closed form, which searches, and the simulation, which judges the finalists, tell the same
/// step where their assumptions agree.
class SimulationAgreesTest {
  private static PlanRequest request(String model, String cluster, int sequence) {
    return new PlanRequest(
        ModelCatalogue.known().require(model), Cluster.parse(cluster), sequence, 4L << 20, true, 0);
  }

  @Test
  void closedFormAndSimulationAreWithinASixthOfEachOther() {
    for (PlanRequest request :
        List.of(
            request("llama-3.1-8b", "8xH100", 8192),
            request("llama-3.1-70b", "8xH100/8nodes:ib400", 8192),
            request("gpt3-175b", "8xA100/32nodes:ib200", 2048))) {
      for (PlannedStrategy planned : Planner.plan(request).families()) {
        assertThat(planned.stepSeconds().value())
            .as("%s: %s", request.model().name(), planned.strategy().describe())
            .isCloseTo(planned.time().seconds(), Percentage.withPercentage(17));
      }
    }
  }

  @Test
  void shardingTheOptimizerOverOneRankIsASingleGpu() {
    PlanRequest request = request("llama-3.2-1b", "1xH100", 2048);
    Strategy single = Strategy.data(Sharding.NONE, 1, 4);
    Recipe recipe = request.recipe(single);
    double alone =
        SimulatedStep.ofModel(request.model(), request.cluster(), single, recipe).seconds();
    for (Sharding sharding : List.of(Sharding.ZERO1, Sharding.ZERO3, Sharding.FSDP2)) {
      Strategy strategy = Strategy.data(sharding, 1, 4);
      assertThat(
              SimulatedStep.ofModel(request.model(), request.cluster(), strategy, recipe).seconds())
          .as(sharding.text())
          .isEqualTo(alone);
    }
  }

  @Test
  void layersThatDoNotDivideLeaveRoomAtTheEnds() {
    assertThat(ModelGraphs.layersOfChunks(126, 16)).startsWith(7, 8).endsWith(8, 7);
    assertThat(ModelGraphs.layersOfChunks(32, 4)).containsExactly(8, 8, 8, 8);
  }
}
