package dev.pitwall.study;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RepresentativesTest {
  @Test
  void theSlowestAndTheMiddleRankStandForAJobAndTheSlowestComesFirst() {
    Representatives chosen = Representatives.of(new double[] {5, 9, 1, 7, 3}, new boolean[5]);
    assertThat(chosen.slowest()).isEqualTo(1);
    assertThat(chosen.typical()).isEqualTo(0);
    assertThat(chosen.places()).containsExactly(1, 0);
  }

  @Test
  void twoRanksStandForThemselvesAndOneForItself() {
    assertThat(Representatives.of(new double[] {1, 2}, new boolean[2]).places())
        .containsExactly(1, 0);
    assertThat(Representatives.of(new double[] {4}, new boolean[1]).places()).containsExactly(0);
  }

  @Test
  void ofEqualRanksTheFirstIsChosen() {
    assertThat(Representatives.of(new double[] {2, 2, 2}, new boolean[3]).slowest()).isZero();
  }

  @Test
  void aRankThatIsCutShortStandsForNothing() {
    assertThat(
            Representatives.of(new double[] {2, 9, 1}, new boolean[] {true, false, true}).places())
        .containsExactly(0, 2);
    assertThat(Representatives.of(new double[] {2, 9}, new boolean[] {true, false}).places())
        .containsExactly(0);
  }
}
