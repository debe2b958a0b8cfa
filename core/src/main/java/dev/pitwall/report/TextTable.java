package dev.pitwall.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// A table in aligned columns that fits a width. Figures are aligned right and never cut. Names
/// give way, the longest first, and lose their middle; sentences give way too and go on below.
/// Where that is not enough the last columns come as a second table below, with the first column
/// again.
public final class TextTable {
  private static final int GAP = 2;
  private static final int INDENT = 2;
  private static final int NARROWEST_NAME = 14;
  private static final int NARROWEST_SENTENCE = 24;
  private static final int NARROWEST_TABLE = 30;

  private final List<Column> columns;
  private final List<List<String>> rows = new ArrayList<>();

  private enum Kind {
    NAME,
    PATH,
    SENTENCE,
    FIGURE
  }

  /// One column: its heading and what it holds.
  public static final class Column {
    private final String heading;
    private final Kind kind;

    private Column(String heading, Kind kind) {
      this.heading = PlainText.printable(heading);
      this.kind = kind;
    }

    boolean isFigure() {
      return kind == Kind.FIGURE;
    }
  }

  /// A column of names: aligned left, cut in the middle where the room ends.
  public static Column name(String heading) {
    return new Column(heading, Kind.NAME);
  }

  /// A column of paths: aligned left, cut at the front where the room ends, so that the file stays.
  public static Column path(String heading) {
    return new Column(heading, Kind.PATH);
  }

  /// A column of sentences: aligned left, broken into lines where the room ends.
  public static Column sentence(String heading) {
    return new Column(heading, Kind.SENTENCE);
  }

  /// A column of figures: aligned right, never cut.
  public static Column figure(String heading) {
    return new Column(heading, Kind.FIGURE);
  }

  public TextTable(List<Column> columns) {
    this.columns = List.copyOf(columns);
  }

  public TextTable(Column... columns) {
    this(List.of(columns));
  }

  /// A table of figures with names in the first column.
  public static TextTable ofFigures(String name, String... figures) {
    List<Column> columns = new ArrayList<>();
    columns.add(name(name));
    for (String figure : figures) {
      columns.add(figure(figure));
    }
    return new TextTable(columns);
  }

  /// Adds a row, one cell a column; control characters of a cell are made visible.
  public TextTable row(String... cells) {
    return row(List.of(cells));
  }

  public TextTable row(List<String> cells) {
    if (cells.size() != columns.size()) {
      throw new IllegalArgumentException(
          cells.size() + " cells in a table of " + columns.size() + " columns");
    }
    rows.add(cells.stream().map(PlainText::printable).toList());
    return this;
  }

  public boolean isEmpty() {
    return rows.isEmpty();
  }

  /// The lines, headings first, at most `width` characters each, indented by two.
  public List<String> lines(int width, Style style) {
    int room = Math.max(NARROWEST_TABLE, width) - INDENT;
    int[] natural = new int[columns.size()];
    int[] least = new int[columns.size()];
    for (int column = 0; column < natural.length; column++) {
      natural[column] = columns.get(column).heading.length();
      for (List<String> row : rows) {
        natural[column] = Math.max(natural[column], row.get(column).length());
      }
      least[column] = leastWidth(column, natural[column]);
    }
    List<String> lines = new ArrayList<>();
    int next = 0;
    while (next < natural.length) {
      List<Integer> shown = new ArrayList<>();
      int taken = -GAP;
      if (next > 0) {
        lines.add("");
        shown.add(0);
        taken += GAP + least[0];
      }
      int own = 0;
      while (next < natural.length && (own == 0 || taken + GAP + least[next] <= room)) {
        taken += GAP + least[next];
        shown.add(next);
        next++;
        own++;
      }
      part(shown, widths(shown, natural, room), style, lines);
    }
    return lines;
  }

  private int leastWidth(int column, int natural) {
    return switch (columns.get(column).kind) {
      case FIGURE -> natural;
      case NAME, PATH ->
          Math.min(natural, Math.max(NARROWEST_NAME, columns.get(column).heading.length()));
      case SENTENCE -> Math.min(natural, NARROWEST_SENTENCE);
    };
  }

  /// What each column gets: its natural width, or as much as brings the longest texts down evenly.
  private int[] widths(List<Integer> shown, int[] natural, int room) {
    int[] texts =
        shown.stream()
            .filter(column -> !columns.get(column).isFigure())
            .mapToInt(column -> natural[column])
            .sorted()
            .toArray();
    int left = room - GAP * (shown.size() - 1);
    for (int column : shown) {
      left -= columns.get(column).isFigure() ? natural[column] : 0;
    }
    int longest = Integer.MAX_VALUE;
    int wanted = Arrays.stream(texts).sum();
    if (wanted > left) {
      int remaining = left;
      for (int i = 0; i < texts.length; i++) {
        longest = Math.max(1, remaining / (texts.length - i));
        if (texts[i] > longest) {
          break;
        }
        remaining -= texts[i];
      }
    }
    int[] widths = new int[shown.size()];
    for (int i = 0; i < widths.length; i++) {
      int column = shown.get(i);
      widths[i] =
          columns.get(column).isFigure() ? natural[column] : Math.min(natural[column], longest);
    }
    return widths;
  }

  private void part(List<Integer> shown, int[] widths, Style style, List<String> lines) {
    List<String> headings = shown.stream().map(column -> columns.get(column).heading).toList();
    if (headings.stream().anyMatch(heading -> !heading.isEmpty())) {
      lines.add(style.dim(line(shown, headings, widths)));
    }
    for (List<String> row : rows) {
      List<List<String>> cells = new ArrayList<>();
      int height = 1;
      for (int i = 0; i < widths.length; i++) {
        String cell = row.get(shown.get(i));
        List<String> broken =
            columns.get(shown.get(i)).kind == Kind.SENTENCE
                ? PlainText.wrapped(cell, widths[i])
                : List.of(cell);
        cells.add(broken);
        height = Math.max(height, broken.size());
      }
      for (int at = 0; at < height; at++) {
        List<String> texts = new ArrayList<>();
        for (List<String> broken : cells) {
          texts.add(at < broken.size() ? broken.get(at) : "");
        }
        lines.add(line(shown, texts, widths));
      }
    }
  }

  private String line(List<Integer> shown, List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder(" ".repeat(INDENT));
    for (int i = 0; i < widths.length; i++) {
      line.append(i == 0 ? "" : " ".repeat(GAP));
      if (columns.get(shown.get(i)).isFigure()) {
        line.append(" ".repeat(Math.max(0, widths[i] - cells.get(i).length())))
            .append(cells.get(i));
      } else {
        String cell = cells.get(i);
        boolean path = columns.get(shown.get(i)).kind == Kind.PATH;
        line.append(
            padRight(path ? ending(cell, widths[i]) : shortened(cell, widths[i]), widths[i]));
      }
    }
    return line.toString().stripTrailing();
  }

  static String padRight(String text, int width) {
    return text + " ".repeat(Math.max(0, width - text.length()));
  }

  private static String ending(String text, int width) {
    if (text.length() <= width) {
      return text;
    }
    int from = text.length() - Math.max(0, width - 1);
    boolean halved = from < text.length() && Character.isLowSurrogate(text.charAt(from));
    return "…" + text.substring(halved ? from + 1 : from);
  }

  /// The text, or its beginning and end around an ellipsis: kernel names differ at the end.
  public static String shortened(String text, int width) {
    if (text.length() <= width) {
      return text;
    }
    int tail = Math.max(0, width / 3);
    int head = Math.max(0, width - tail - 1);
    int from = text.length() - tail;
    if (head > 0 && Character.isHighSurrogate(text.charAt(head - 1))) {
      head--;
    }
    if (tail > 0 && Character.isLowSurrogate(text.charAt(from))) {
      from++;
    }
    return text.substring(0, head) + "…" + text.substring(from);
  }
}
