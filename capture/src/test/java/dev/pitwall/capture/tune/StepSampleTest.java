package dev.pitwall.capture.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class StepSampleTest {
  @Test
  void halfWidthOfTwoRunsIsStudents() {
    // s = sqrt(2)/2·|a-b|, t(1) = 12.7062: half width = 12.7062 · |a-b| / 2
    assertThat(StepSample.of(List.of(10.0, 10.2)).halfWidth()).isCloseTo(1.27062, within(1e-4));
  }

  @Test
  void oneRunDecidesNothing() {
    assertThat(StepSample.of(List.of(1.0)).comparedWith(StepSample.of(List.of(9.0, 9.1))))
        .isEqualTo(StepSample.Order.UNDECIDED);
  }

  @Test
  void equalPopulationsAreSeldomToldApart() {
    SplittableRandom random = new SplittableRandom(7);
    int wrong = 0;
    for (int trial = 0; trial < 1000; trial++) {
      StepSample one = draw(random, 10);
      StepSample other = draw(random, 10);
      StepSample.Order order = one.comparedWith(other);
      if (order == StepSample.Order.FASTER || order == StepSample.Order.SLOWER) {
        wrong++;
      }
    }
    assertThat(wrong).as("of 1000 comparisons at 95 %%, seed 7").isLessThan(70);
  }

  @Test
  void aTenthIsSeenThroughOnePercentOfNoise() {
    SplittableRandom random = new SplittableRandom(8);
    assertThat(draw(random, 9).comparedWith(draw(random, 10)))
        .as("seed 8")
        .isEqualTo(StepSample.Order.FASTER);
  }

  private static StepSample draw(SplittableRandom random, double mean) {
    return StepSample.of(
        java.util.stream.Stream.generate(() -> mean * (1 + 0.01 * random.nextGaussian()))
            .limit(4)
            .toList());
  }
}
