package dev.pitwall.observe.ranks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// A job of 64 ranks that is known to the millisecond: in each step all compute for 10 ms, meet in
/// an all-reduce that takes 2 ms, and compute for 1 ms more.
class JobPathTest {
  private static final int RANKS = 64;
  private static final int STEPS = 5;
  private static final long MILLISECOND = 1_000_000;
  private static final long COMPUTE = 10 * MILLISECOND;
  private static final long TRANSFER = 2 * MILLISECOND;
  private static final long REST = MILLISECOND;

  private static final int LATE_RANK = 37;
  private static final int LATE_STEP = 2;
  private static final long LATE = 9 * MILLISECOND;
  private static final int HUNGRY_RANK = 12;
  private static final int HUNGRY_STEP = 3;
  private static final long HUNGRY = 6 * MILLISECOND;
  private static final int SKEWED_RANK = 11;
  private static final long SKEW = 3_456_789_000L;
  private static final int RANK_THAT_MISSES = 52;
  private static final int STEP_OF_MISSING = 1;

  private final RankComparison comparison =
      RankComparison.of(IntStream.range(0, RANKS).mapToObj(JobPathTest::rank).toList());

  @Test
  void everyStepIsAttributedInFullWhateverTheClocksSay() {
    assertThat(comparison.path().steps()).hasSize(STEPS);
    for (JobPath.Step step : comparison.path().steps()) {
      double sum = step.shares().stream().mapToDouble(JobPath.Share::nanos).sum();
      assertThat(sum).as("step %d", step.step()).isCloseTo(step.nanos(), within(1.0));
      assertThat(step.shares()).allMatch(share -> share.nanos() >= 0);
      assertThat(step.nanosOf(Activity.UNEXPLAINED)).isCloseTo(0, within(1.0));
    }
    assertThat(comparison.path().steps().get(4).nanos()).isEqualTo(COMPUTE + TRANSFER + REST);
  }

  @Test
  void theLateRankHoldsItsStepByItsHost() {
    JobPath.Step step = comparison.path().steps().get(LATE_STEP);
    assertThat(step.nanos()).isEqualTo(LATE + COMPUTE + TRANSFER + REST);
    assertThat(step.holder()).isEqualTo(LATE_RANK);
    assertThat(step.nanosOf(Activity.HOST)).isCloseTo(LATE, within(1.0));
    assertThat(step.nanosOf(Activity.COMMUNICATION)).isCloseTo(TRANSFER, within(1.0));
    LateRank late = comparison.latest().get(LATE_STEP);
    assertThat(late.rank()).isEqualTo(LATE_RANK);
    assertThat(late.waitedNanos()).isEqualTo(LATE);
    assertThat(late.cause()).isEqualTo(Straggler.Cause.HOST);
  }

  @Test
  void theRankThatWaitsForItsBatchHoldsItsStepByItsInput() {
    JobPath.Step step = comparison.path().steps().get(HUNGRY_STEP);
    assertThat(step.holder()).isEqualTo(HUNGRY_RANK);
    assertThat(step.nanosOf(Activity.INPUT)).isCloseTo(HUNGRY, within(1.0));
    assertThat(comparison.latest().get(HUNGRY_STEP).cause()).isEqualTo(Straggler.Cause.INPUT);
  }

  @Test
  void theSkewedClockAndTheMissingCollectiveAreNamedAsWell() {
    assertThat(comparison.clocks().offsetNanos()[SKEWED_RANK]).isEqualTo(SKEW);
    assertThat(comparison.missing())
        .singleElement()
        .satisfies(
            missing -> {
              assertThat(missing.rank()).isEqualTo(RANK_THAT_MISSES);
              assertThat(missing.step()).isEqualTo(STEP_OF_MISSING);
            });
  }

  @Test
  void ranksWithoutCollectivesHaveNoCommonPath() {
    RankSummary alone = new RankSummary(0, List.of(), rank(0).steps(), rank(0).activity());
    RankSummary other = new RankSummary(1, List.of(), rank(1).steps(), rank(1).activity());
    assertThat(RankComparison.of(List.of(alone, other)).path().steps()).isEmpty();
  }

  private static RankSummary rank(int rank) {
    List<RankSummary.Call> calls = new ArrayList<>();
    List<RankSummary.Step> steps = new ArrayList<>();
    Recorder device = new Recorder(rank == SKEWED_RANK ? SKEW : 0);
    for (int step = 0; step < STEPS; step++) {
      long begin = device.now;
      long host = rank == LATE_RANK && step == LATE_STEP ? LATE : 0;
      long input = rank == HUNGRY_RANK && step == HUNGRY_STEP ? HUNGRY : 0;
      device.spend(Activity.HOST, host);
      device.spend(Activity.INPUT, input);
      device.spend(Activity.COMPUTE, COMPUTE);
      long arrival = device.now;
      long slowest = (step == LATE_STEP ? LATE : 0) + (step == HUNGRY_STEP ? HUNGRY : 0);
      long end = begin + slowest + COMPUTE + TRANSFER;
      if (rank == RANK_THAT_MISSES && step == STEP_OF_MISSING) {
        device.spend(Activity.HOST, end - arrival);
      } else {
        device.collective(end - arrival);
        calls.add(
            new RankSummary.Call(
                "0 allreduce 1024", "allreduce", step, 0, arrival, end, end - arrival));
      }
      device.spend(Activity.COMPUTE, REST);
      device.endStep();
      steps.add(new RankSummary.Step(begin, device.now, COMPUTE + REST, input, 0, host));
    }
    return new RankSummary(rank, calls, steps, device.activity());
  }

  /// Writes down what a device does, one thing after the other.
  private static final class Recorder {
    private final List<Long> moments = new ArrayList<>();
    private final List<long[]> spent = new ArrayList<>();
    private final List<Long> callOf = new ArrayList<>();
    private final List<Long> stepEnds = new ArrayList<>();
    private long now;
    private long[] sum = new long[Activity.values().length];

    Recorder(long start) {
      now = start;
      stepEnds.add(start);
    }

    void spend(Activity activity, long nanos) {
      mark(RankActivity.NO_CALL);
      now += nanos;
      sum = sum.clone();
      sum[activity.ordinal()] += nanos;
    }

    void collective(long nanos) {
      mark(now);
      now += nanos;
      sum = sum.clone();
      sum[Activity.COMMUNICATION.ordinal()] += nanos;
    }

    void endStep() {
      stepEnds.add(now);
    }

    private void mark(long call) {
      if (!moments.isEmpty() && moments.getLast() == now) {
        moments.removeLast();
        spent.removeLast();
        callOf.removeLast();
      }
      moments.add(now);
      spent.add(sum);
      callOf.add(call);
    }

    RankActivity activity() {
      mark(RankActivity.NO_CALL);
      long[][] byActivity = new long[Activity.values().length][];
      for (int activity = 0; activity < byActivity.length; activity++) {
        int at = activity;
        byActivity[activity] = spent.stream().mapToLong(sums -> sums[at]).toArray();
      }
      return new RankActivity(longs(moments), byActivity, longs(callOf), longs(stepEnds));
    }

    private static long[] longs(List<Long> values) {
      long[] array = new long[values.size()];
      Arrays.setAll(array, values::get);
      return array;
    }
  }
}
