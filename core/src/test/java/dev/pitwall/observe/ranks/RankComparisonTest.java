package dev.pitwall.observe.ranks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.pitwall.SharedData;
import dev.pitwall.observe.Observation;
import dev.pitwall.trace.TraceFiles;
import dev.pitwall.trace.TraceIndex;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RankComparisonTest {
  private static final int RANKS = 64;
  private static final int SLOW_RANK = 37;
  private static final int SKEWED_RANK = 11;
  private static final int RANK_THAT_MISSES = 52;
  private static final long LATE_NANOS = 9_000_000;
  private static final long SKEW_NANOS = 3_456_789_000L;

  @Test
  void theSleepingRankOfARealJobIsNamedWithItsCause() {
    RankComparison comparison =
        RankComparison.of(List.of(real("s_ddp_straggler", 0), real("s_ddp_straggler", 1)));
    assertThat(comparison.stragglers()).hasSize(1);
    Straggler straggler = comparison.stragglers().getFirst();
    assertThat(straggler.rank()).isEqualTo(1);
    assertThat(straggler.cause()).isEqualTo(Straggler.Cause.HOST);
    assertThat(straggler.waitedNanosPerStep()).isGreaterThan(15_000_000);
    assertThat(straggler.isByItsOwnTime(82.5)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"s_ddp", "s_fsdp2", "s_ddp_accum4"})
  void aRankThatIsLateOnlyBecauseRecordingCostsItsHostMoreHasNoTimeOfItsOwn(String variant) {
    RankComparison comparison = RankComparison.of(List.of(real(variant, 0), real(variant, 1)));
    assertThat(comparison.stragglers()).noneMatch(late -> late.isByItsOwnTime(70));
  }

  @Test
  void theSleepingRankHoldsTheWholePathAndItsHostMostOfThat() {
    RankComparison comparison =
        RankComparison.of(List.of(real("s_ddp_straggler", 0), real("s_ddp_straggler", 1)));
    assertThat(comparison.path().steps()).hasSize(2);
    for (JobPath.Step step : comparison.path().steps()) {
      assertThat(step.holder()).isEqualTo(1);
      assertThat(step.nanosOn(1)).isGreaterThan(0.9 * step.nanos());
      assertThat(step.nanosOf(Activity.HOST)).isGreaterThan(30e6);
      assertThat(step.shares().stream().mapToDouble(JobPath.Share::nanos).sum())
          .isCloseTo(step.nanos(), within(1.0));
    }
    assertThat(comparison.latest()).extracting(LateRank::rank).containsOnly(1);
    assertThat(comparison.latest()).extracting(LateRank::cause).containsOnly(Straggler.Cause.HOST);
  }

  @Test
  void ranksThatTakeTurnsInBeingLateAreNoStragglersAndClocksOfOneHostAgree() {
    RankComparison comparison = RankComparison.of(List.of(real("b_fsdp2", 0), real("b_fsdp2", 1)));
    assertThat(comparison.stragglers()).isEmpty();
    assertThat(comparison.missing()).isEmpty();
    assertThat(comparison.clocks().offsetNanos()[1]).isCloseTo(0, within(50_000L));
  }

  @Test
  void plantedStragglerSkewAndMissingCollectiveAmongSixtyFourRanksAreAllNamed() {
    RankSummary real = real("s_ddp", 0);
    List<RankSummary> job =
        IntStream.range(0, RANKS).mapToObj(rank -> copyFor(real, rank)).toList();
    RankComparison comparison = RankComparison.of(job);
    assertThat(comparison.stragglers()).extracting(Straggler::rank).containsExactly(SLOW_RANK);
    assertThat(comparison.clocks().offsetNanos()[SKEWED_RANK])
        .isCloseTo(SKEW_NANOS, within(20_000L));
    assertThat(comparison.clocks().offsetNanos()[SKEWED_RANK + 1]).isCloseTo(0, within(20_000L));
    assertThat(comparison.missing())
        .singleElement()
        .satisfies(
            missing -> {
              assertThat(missing.rank()).isEqualTo(RANK_THAT_MISSES);
              assertThat(missing.step()).isEqualTo(1);
            });
  }

  /// Rank `rank` of a job made of one real rank: the slow one enters each step's first collective
  /// late, the skewed one has another clock, one lacks the third collective of step 1.
  private static RankSummary copyFor(RankSummary real, int rank) {
    long skew = rank == SKEWED_RANK ? SKEW_NANOS : 0;
    List<RankSummary.Call> calls = new ArrayList<>();
    int inStep = 0;
    int step = -1;
    for (RankSummary.Call call : real.calls()) {
      inStep = call.step() == step ? inStep + 1 : 0;
      step = call.step();
      if (rank == RANK_THAT_MISSES && step == 1 && inStep == 2) {
        continue;
      }
      long jitter = (rank * 37L + inStep * 11L) % 2_000;
      long late = rank == SLOW_RANK && inStep == 0 ? 0 : inStep == 0 ? LATE_NANOS : 0;
      calls.add(
          new RankSummary.Call(
              call.kind(),
              call.label(),
              step,
              call.occurrence(),
              call.startNanos() - late + jitter + skew,
              call.endNanos() + jitter + skew,
              call.endNanos() - call.startNanos() + late));
    }
    // The rank that lacks one numbers what it has.
    List<RankSummary.Call> numbered = new ArrayList<>();
    java.util.Map<String, Integer> seen = new java.util.HashMap<>();
    for (RankSummary.Call call : calls) {
      int occurrence = seen.merge(call.step() + call.kind(), 1, Integer::sum) - 1;
      numbered.add(call.withOccurrence(occurrence));
    }
    return new RankSummary(rank, numbered, real.steps(), RankActivity.none());
  }

  private static RankSummary real(String variant, int rank) {
    Path file = SharedData.require("h200/multi/" + variant + ".rank" + rank + ".trace.json.gz");
    return RankSummary.of(
        Observation.of(TraceIndex.of(TraceFiles.read(file).getFirst(), null)), rank);
  }
}
