package dev.pitwall.capture.loader;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LoaderTrialsTest {
  @Test
  void triesDoublingNumbersOfWorkersToTheCoresButToEightAtLeast() {
    assertThat(LoaderTrials.workersFor(2)).containsExactly(0, 1, 2, 4, 8);
    assertThat(LoaderTrials.workersFor(20)).containsExactly(0, 1, 2, 4, 8, 16);
    assertThat(LoaderTrials.workersFor(500)).endsWith(64);
  }
}
