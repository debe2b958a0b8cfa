package dev.pitwall.study;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RepresentativesTest {
  @Test
  void theSlowestAndTheMiddleRankStandForAJobAndTheSlowestComesFirst() {
    Representatives chosen = Representatives.of(new double[] {5, 9, 1, 7, 3});
    assertThat(chosen.slowest()).isEqualTo(1);
    assertThat(chosen.typical()).isEqualTo(0);
    assertThat(chosen.places()).containsExactly(1, 0);
  }

  @Test
  void twoRanksStandForThemselvesAndOneForItself() {
    assertThat(Representatives.of(new double[] {1, 2}).places()).containsExactly(1, 0);
    assertThat(Representatives.of(new double[] {4}).places()).containsExactly(0);
  }

  @Test
  void ofEqualRanksTheFirstIsChosen() {
    assertThat(Representatives.of(new double[] {2, 2, 2}).slowest()).isZero();
  }
}
