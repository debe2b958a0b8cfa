package dev.pitwall.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PlainTextTest {
  @Test
  void aFigureStaysWithItsUnit() {
    assertThat(PlainText.wrapped("fixing it saves about 24.3 ms (35 %).", 26))
        .containsExactly("fixing it saves about", "24.3 ms (35 %).");
    assertThat(PlainText.wrapped("saves 24.3 ms (35 %).", 17))
        .containsExactly("saves 24.3 ms", "(35 %).");
  }

  @Test
  void coloursTakeNoRoomInALine() {
    String red = Style.COLOURED.red("late");
    assertThat(PlainText.wrapped("rank 3 is " + red + " again", 20))
        .containsExactly("rank 3 is " + red + " again");
  }

  @Test
  void aWordLongerThanTheLineIsBroken() {
    assertThat(PlainText.wrapped("see aaaaaaaaaaaa", 5))
        .containsExactly("see", "aaaaa", "aaaaa", "aa");
  }
}
