package dev.pitwall.scale;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.hardware.CollectiveCosts;
import dev.pitwall.hardware.CollectiveKind;
import dev.pitwall.hardware.Precision;
import dev.pitwall.hardware.RankGroup;
import dev.pitwall.pass.scale.GradientBuckets;
import org.junit.jupiter.api.Test;

/// For each row of folklore on scaling, the product says the true thing.
class ScalingFolkloreTest {
  private static final double GB = 1e9;

  private static PlanRequest request(String model, String cluster) {
    return new PlanRequest(
        ModelCatalogue.known().require(model), Cluster.parse(cluster), 2048, 1 << 20, true, 0);
  }

  private static MemoryEstimate memory(String model, Strategy strategy, Recipe.StateBytes states) {
    Recipe recipe =
        new Recipe(
            1024,
            Precision.BF16,
            states,
            Recipe.Tuning.FULL,
            true,
            true,
            false,
            SoftwareStack.pytorch());
    return new MemoryModel(
            ModelCatalogue.known().require(model), Cluster.parse("8xA100").gpu(), strategy, recipe)
        .estimate();
  }

  @Test
  void aModelOf175BDoesNotFitEightGpusWithoutOffloadAndNeedsAbout350GbEach() {
    Plan plan = Planner.plan(request("gpt3-175b", "8xA100"));
    assertThat(plan.best()).allMatch(planned -> planned.strategy().offload().any());
    PlannedStrategy least = plan.leastMemory();
    assertThat(least).isNotNull();
    assertThat(least.memory().fits()).isFalse();
    MemoryEstimate sharded =
        memory(
            "gpt3-175b",
            Strategy.data(Sharding.FSDP2, 8, 1).with(Checkpointing.FULL),
            Recipe.StateBytes.FSDP_MIXED);
    double states =
        sharded.owners().stream()
            .filter(owner -> owner.name().matches("parameters|optimizer state|gradients"))
            .mapToDouble(MemoryEstimate.Owner::bytes)
            .sum();
    assertThat(sharded.fits()).isFalse();
    assertThat(states).isBetween(250 * GB, 400 * GB);
    assertThat(sharded.allocated()).isGreaterThan(330 * GB);
  }

  @Test
  void dataParallelismIsForWhatFitsNotForSmallModelsOnly() {
    Recipe.StateBytes states = Recipe.StateBytes.AUTOCAST;
    assertThat(states.total()).isEqualTo(16);
    Strategy ddp = Strategy.data(Sharding.DDP, 8, 1).with(Checkpointing.FULL);
    assertThat(memory("gpt2-xl", ddp, states).fits()).isTrue();
    assertThat(memory("llama-3.2-3b", ddp, states).fits()).isTrue();
    assertThat(memory("llama-3-8b", ddp, states).fits()).isFalse();
  }

  @Test
  void gradientsGoInBucketsAndTheFirstIsSmall() {
    long[] oneMebibyteEach = new long[60];
    java.util.Arrays.fill(oneMebibyteEach, 1 << 20);
    assertThat(GradientBuckets.rebuilt(oneMebibyteEach, 0)).containsExactly(0, 25, 50, 59);
    assertThat(GradientBuckets.rebuilt(oneMebibyteEach, 10)).containsExactly(9, 19, 29, 39, 49, 59);
  }

  @Test
  void anA100NodeReducesTheGradientsOfAResNetInUnderTwoMilliseconds() {
    Cluster node = Cluster.parse("8xA100");
    double seconds =
        CollectiveCosts.fitted()
            .seconds(CollectiveKind.ALL_REDUCE, 102e6, new RankGroup(8, 8, 1), node.network());
    assertThat(seconds).isBetween(0.0006, 0.002);
  }

  @Test
  void aHostMovesMoreThanOneChannelOfMemory() {
    assertThat(Cluster.Host.TYPICAL.memoryBytesPerSecond()).isGreaterThan(4 * 25.6e9);
  }

  @Test
  void checkpointingInsideAUnitAddsNoAllGather() {
    ModelShape model = ModelCatalogue.known().require("llama-3-8b");
    Cluster cluster = Cluster.parse("8xH100");
    Strategy plain = Strategy.data(Sharding.FSDP2, 8, 1);
    PlanRequest request = new PlanRequest(model, cluster, 4096, 1 << 20, true, 0);
    long without = gathers(SimulatedStep.ofModel(model, cluster, plain, request.recipe(plain)));
    Strategy checkpointed = plain.with(Checkpointing.FULL);
    long with =
        gathers(SimulatedStep.ofModel(model, cluster, checkpointed, request.recipe(checkpointed)));
    assertThat(with).isEqualTo(without).isEqualTo(2L * model.layers() + 1);
  }

  private static long gathers(SimulatedStep step) {
    var graph = step.step().graph();
    long count = 0;
    for (int node = 0; node < graph.nodes(); node++) {
      if (graph.label(node).startsWith("all-gather")) {
        count++;
      }
    }
    return count;
  }

  @Test
  void zeroPartitionsArePaddedAsDeepSpeedPadsThem() {
    // stage_1_and_2.py: the flat buffer is a multiple of 2 x ranks.
    assertThat(ZeroPartitions.flat(1000, 8)).isEqualTo(126);
    assertThat(ZeroPartitions.flat(1024, 8)).isEqualTo(128);
    // partition_parameters.py: each parameter is a multiple of the ranks.
    assertThat(ZeroPartitions.ofParameter(1000, 8)).isEqualTo(125);
    assertThat(ZeroPartitions.ofParameter(7, 8)).isEqualTo(1);
  }
}
