package dev.pitwall.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TextTableTest {
  @Test
  void theLongestTextsGiveWayAndFiguresDoNot() {
    TextTable table =
        new TextTable(
            TextTable.name("kernel"), TextTable.figure("ms"), TextTable.sentence("because"));
    table.row(
        "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NNT",
        "1,204.55",
        "its tiles leave the last wave of multiprocessors half empty");
    table.row("copy", "2.00", "short");
    assertThat(table.lines(70, Style.PLAIN))
        .containsExactly(
            "  kernel                              ms  because",
            "  nvjet_tst_128x256_…coopA_NNT  1,204.55  its tiles leave the last",
            "                                          wave of multiprocessors half",
            "                                          empty",
            "  copy                              2.00  short");
  }

  @Test
  void columnsThatFindNoRoomComeBelowWithTheFirstColumnAgain() {
    TextTable table = TextTable.ofFigures("name", "first figure", "second figure", "third figure");
    table.row("a", "1", "2", "3");
    assertThat(table.lines(40, Style.PLAIN))
        .containsExactly(
            "  name  first figure  second figure",
            "  a                1              2",
            "",
            "  name  third figure",
            "  a                3");
  }

  @Test
  void noTableIsWiderThanItsWidthAndNoFigureIsCut() {
    for (long seed = 0; seed < 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<TextTable.Column> columns = new ArrayList<>();
      int count = random.nextInt(1, 9);
      for (int column = 0; column < count; column++) {
        columns.add(
            switch (random.nextInt(3)) {
              case 0 -> TextTable.name("n" + column);
              case 1 -> TextTable.sentence("s" + column);
              default -> TextTable.figure("f" + column);
            });
      }
      TextTable table = new TextTable(columns);
      List<String> figures = new ArrayList<>();
      for (int row = 0; row < 5; row++) {
        List<String> cells = new ArrayList<>();
        for (int column = 0; column < count; column++) {
          String figure = Long.toString(random.nextLong(1L << 40));
          String words = "word ".repeat(random.nextInt(12)) + "x".repeat(random.nextInt(40));
          boolean isFigure = columns.get(column).isFigure();
          cells.add(isFigure ? figure : words);
          if (isFigure) {
            figures.add(figure);
          }
        }
        table.row(cells);
      }
      int width = random.nextInt(40, 200);
      List<String> lines = table.lines(width, Style.PLAIN);
      assertThat(lines)
          .as("seed %d", seed)
          .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(width));
      assertThat(figures)
          .as("seed %d", seed)
          .allSatisfy(figure -> assertThat(String.join("\n", lines)).contains(figure));
    }
  }

  @Test
  void aCutNameKeepsItsEndsAndNoHalfOfACharacter() {
    assertThat(TextTable.shortened("abcdefghij", 7)).isEqualTo("abcd…ij");
    String astral = "\uD83D\uDE00".repeat(20);
    for (int width = 1; width < 40; width++) {
      String cut = TextTable.shortened(astral, width);
      assertThat(cut.length()).isLessThanOrEqualTo(width);
      assertThat(cut.codePoints().allMatch(c -> c == 0x1F600 || c == '…')).isTrue();
    }
  }
}
