package dev.pitwall.pass.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.GraphVerifier;
import dev.pitwall.hardware.GpuSpec;
import dev.pitwall.hardware.GpuSpecs;
import dev.pitwall.hardware.RankGroup;
import dev.pitwall.scale.Cluster;
import dev.pitwall.simulate.SteadyState;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/// What must hold of a strategy whatever the model: its limiting cases, and what each mechanism may
/// and may not cost.
class StrategyLawsTest {
  private static final int LAYERS = 6;
  private static final long MILLISECOND = 1_000_000;
  private static final GpuSpec H200 = GpuSpecs.known().find("H200").orElseThrow();

  private static LayeredStep plain(int microBatches) {
    List<LayeredStep.UnitTimes> units = new ArrayList<>();
    units.add(unit("embedding", false));
    for (int layer = 0; layer < LAYERS; layer++) {
      units.add(unit("layer " + layer, true));
    }
    units.add(unit("head", false));
    return LayeredStep.build(units, microBatches, 100_000, MILLISECOND);
  }

  private static LayeredStep.UnitTimes unit(String name, boolean isLayer) {
    long[] gradients =
        isLayer ? new long[] {16_000_000, 16_000_000, 4_000_000, 4_096} : new long[] {8_000_000};
    return new LayeredStep.UnitTimes(
        name, gradients, isLayer, 200_000, 4 * MILLISECOND, 300_000, 8 * MILLISECOND);
  }

  private static Communication between(int ranks) {
    return new Communication(
        new RankGroup(ranks, ranks, 1), Cluster.reference(H200, 8).network(), H200, 2, 4);
  }

  private static double nanos(ExecutionGraph graph) {
    assertThat(GraphVerifier.faults(graph)).isEmpty();
    return SteadyState.of(graph).stepNanos();
  }

  private static double nanos(LayeredStep step) {
    return nanos(step.graph());
  }

  private static long labelled(LayeredStep step, String label) {
    long count = 0;
    for (int node = 0; node < step.graph().nodes(); node++) {
      count += step.graph().label(node).startsWith(label) ? 1 : 0;
    }
    return count;
  }

  private static long hostNanos(LayeredStep step) {
    long nanos = 0;
    for (int node = 0; node < step.graph().nodes(); node++) {
      nanos += step.graph().resource(node) == step.host() ? step.graph().durationNanos(node) : 0;
    }
    return nanos;
  }

  private static LayeredStep fullySharded(Communication replicas) {
    return new FullyShardedPass(between(4), new HostCosts(0.5), true, true, true, replicas)
        .apply(plain(2));
  }

  @Test
  void hybridShardingWithOneReplicaIsFullSharding() {
    LayeredStep full =
        new FullyShardedPass(between(4), new HostCosts(0.5), true, true, true, null)
            .apply(plain(2));
    assertThat(nanos(fullySharded(between(1)))).isEqualTo(nanos(full));
  }

  @Test
  void hybridShardingReducesEachUnitBetweenItsReplicasAndOnlyTheEndOfItShows() {
    LayeredStep two = fullySharded(between(2));
    assertThat(labelled(two, "all-reduce")).isEqualTo(2 * (LAYERS + 1));
    double more = nanos(two) - nanos(fullySharded(between(1)));
    long unit = between(2).nanos(dev.pitwall.hardware.CollectiveKind.ALL_REDUCE, 36_004_096 / 4.0);
    assertThat(more).isBetween(0.0, 2.0 * unit);
  }

  private static LayeredStep replicated(DataParallelOptions options) {
    return new DataParallelPass(between(2), new HostCosts(0.2), options).apply(plain(1));
  }

  @Test
  void theFirstIterationReducesOnceBehindTheWholeBackward() {
    LayeredStep first = replicated(DataParallelOptions.DEFAULT.inFirstIteration());
    LayeredStep later = replicated(DataParallelOptions.DEFAULT);
    assertThat(labelled(first, "all-reduce")).isEqualTo(1);
    assertThat(labelled(later, "all-reduce")).isGreaterThan(4);
    assertThat(nanos(first)).isGreaterThan(nanos(later));
  }

  @Test
  void lookingForUnusedParametersCostsAWalkAndAStaticGraphSavesIt() {
    DataParallelOptions looking = DataParallelOptions.DEFAULT.withFindUnusedParameters();
    LayeredStep walked = replicated(looking);
    LayeredStep known = replicated(looking.withStaticGraph());
    assertThat(labelled(walked, "search_unused_parameters")).isEqualTo(1);
    assertThat(labelled(walked, "all-reduce of used parameters")).isEqualTo(1);
    assertThat(nanos(known)).isEqualTo(nanos(replicated(DataParallelOptions.DEFAULT)));
    assertThat(hostNanos(walked)).isGreaterThan(hostNanos(known));
  }

  @Test
  void tensorParallelCollectivesLieOnTheCriticalPathInFull() {
    long each = 300_000;
    List<BlockingCollectivePass.Placed> placed =
        List.of(
            new BlockingCollectivePass.Placed("all-reduce", each, true),
            new BlockingCollectivePass.Placed("all-reduce", each, false));
    double single = nanos(plain(1));
    double forwardAndBackward =
        nanos(new BlockingCollectivePass("nccl tensor", placed, false).apply(plain(1)));
    double recomputing =
        nanos(new BlockingCollectivePass("nccl tensor", placed, true).apply(plain(1)));
    assertThat(forwardAndBackward - single).isCloseTo(4.0 * LAYERS * each, within(1000.0));
    assertThat(recomputing - single).isCloseTo(6.0 * LAYERS * each, within(1000.0));
    assertThat(nanos(new BlockingCollectivePass("nccl tensor", List.of(), false).apply(plain(1))))
        .isEqualTo(single);
  }

  @Test
  void aRingHidesTransfersBehindAttentionUntilTheyTakeLonger() {
    double single = nanos(plain(1));
    long attention = 2 * MILLISECOND;
    int ranks = 4;
    assertThat(nanos(new RingAttentionPass(1, 1000, attention, attention).apply(plain(1))))
        .isEqualTo(single);
    double free = nanos(new RingAttentionPass(ranks, 0, attention, attention).apply(plain(1)));
    assertThat(free).isCloseTo(single, within(1000.0));
    // In the backward twice as much moves, and the last transfer has no attention to hide behind.
    long transfer = 3 * MILLISECOND;
    double exposed = nanos(new RingAttentionPass(ranks, transfer, attention, 0).apply(plain(1)));
    double forward = (ranks - 1.0) * (transfer - attention / (double) ranks);
    double backward = 2.0 * ranks * transfer;
    assertThat(exposed - single).isCloseTo(LAYERS * (forward + backward), within(20_000.0));
  }

  private static PipelineStep pipeline(int ranks, int chunks, int micros, long transfer) {
    long part = 120 * MILLISECOND / chunks;
    List<PipelineStep.Chunk> equal = new ArrayList<>();
    for (int i = 0; i < ranks * chunks; i++) {
      equal.add(new PipelineStep.Chunk(0, part, 0, 2 * part));
    }
    return PipelineStep.build(
        equal, ranks, micros, new PipelineStep.Surroundings(transfer, chunks > 1, 0, 0));
  }

  @Test
  void thePipelineBubbleIsTheTextbooksWhereStagesAreEqualAndTransfersFree() {
    long seed = 20_261_129;
    SplittableRandom random = new SplittableRandom(seed);
    double work = 3.0 * 120 * MILLISECOND;
    for (int i = 0; i < 30; i++) {
      int ranks = random.nextInt(1, 9);
      int chunks = random.nextInt(1, 4);
      int micros = ranks * random.nextInt(1, 5);
      double bubble = (ranks - 1.0) / (micros * chunks);
      assertThat(nanos(pipeline(ranks, chunks, micros, 0).graph()))
          .as("seed %d: %d ranks, %d chunks, %d micro-batches", seed, ranks, chunks, micros)
          .isCloseTo(micros * work * (1 + bubble), Percentage.withPercentage(0.1));
    }
  }

  @Test
  void transfersLengthenAPipelineByAtLeastItsFillingAndDraining() {
    long transfer = 2 * MILLISECOND;
    double without = nanos(pipeline(4, 1, 8, 0).graph());
    double with = nanos(pipeline(4, 1, 8, transfer).graph());
    assertThat(with - without).isGreaterThanOrEqualTo(2.0 * 3 * transfer);
    assertThat(with - without).isLessThanOrEqualTo(2.0 * (8 + 3) * transfer);
  }

  @Test
  void everyRankOfAPipelineDoesAllItsWorkOnce() {
    for (int rank = 0; rank < 4; rank++) {
      List<PipelineSchedule.Work> work = PipelineSchedule.of(rank, 4, 3, 8);
      assertThat(work).hasSize(2 * 3 * 8).doesNotHaveDuplicates();
    }
  }

  private static ZeroThreeSchedule schedule(ZeroThreeOptions options) {
    int parameters = 12;
    int[] uses = new int[2 * parameters];
    long[] elements = new long[parameters];
    for (int i = 0; i < parameters; i++) {
      uses[i] = i;
      uses[2 * parameters - 1 - i] = i;
      elements[i] = 100;
    }
    return new ZeroThreeSchedule(uses, elements, options);
  }

  private static long gathered(ZeroThreeSchedule schedule) {
    return schedule.gathers().stream().mapToLong(ZeroThreeSchedule.Gather::elements).sum();
  }

  @Test
  void zeroThreeGathersByItsKnobs() {
    long all = 1L << 40;
    // Nothing is used again within 0 elements: everything is gathered for forward and backward, but
    // for what the prefetch of the backward found still there.
    ZeroThreeSchedule alone = schedule(new ZeroThreeOptions(0, 0, all, 0, all));
    assertThat(alone.gathers()).hasSize(24).noneMatch(ZeroThreeSchedule.Gather::prefetched);
    assertThat(alone.mostLive()).isEqualTo(100);
    // What is used again soon enough is kept.
    ZeroThreeSchedule kept = schedule(new ZeroThreeOptions(0, 0, all, all, all));
    assertThat(gathered(kept)).isEqualTo(1200);
    assertThat(kept.mostLive()).isEqualTo(1200);
    // A threshold above every parameter leaves nothing to gather.
    assertThat(schedule(new ZeroThreeOptions(300, 100, all, 0, all)).gathers()).isEmpty();
    // A bucket of three parameters gathers three at a time, ahead of their use.
    ZeroThreeSchedule ahead = schedule(new ZeroThreeOptions(300, 0, all, 0, all));
    assertThat(ahead.gathers().stream().filter(ZeroThreeSchedule.Gather::prefetched))
        .isNotEmpty()
        .allMatch(
            gather -> gather.elements() <= 300 && gather.firstNeededAt() > gather.beforeUse());
    assertThat(ahead.gathers().size()).isLessThan(alone.gathers().size());
  }

  @Test
  void zeroThreeKeepsNoMoreAliveThanItsLimitAndThePartAtWork() {
    ZeroThreeSchedule limited = schedule(new ZeroThreeOptions(1200, 0, 400, 0, 1L << 40));
    assertThat(limited.mostLive()).isLessThanOrEqualTo(400 + 100);
    ZeroThreeSchedule wide = schedule(new ZeroThreeOptions(1200, 0, 1L << 40, 0, 1L << 40));
    assertThat(wide.mostLive()).isGreaterThan(limited.mostLive());
  }

  @Test
  void zeroThreeMovesWhatFullShardingMovesWhereNothingIsKept() {
    ZeroThreeOptions nothingKept = new ZeroThreeOptions(50_000_000, 0, 1L << 40, 0, 40_000_000);
    LayeredStep zero =
        new ZeroThreePass(between(4), new HostCosts(0.2), nothingKept).apply(plain(1));
    LayeredStep full =
        new FullyShardedPass(between(4), new HostCosts(0.2), true, true, true, null)
            .apply(plain(1));
    assertThat(labelled(zero, "reduce-scatter")).isBetween(6L, 12L);
    assertThat(nanos(zero)).isCloseTo(nanos(full), Percentage.withPercentage(10));
  }
}
