package dev.pitwall.report;

import java.util.ArrayList;
import java.util.List;

/// A table in aligned columns that fits a width: the first column is text and gives way, the others
/// are figures, aligned right.
final class TextTable {
  private static final int GAP = 2;

  private final List<String> header;
  private final List<List<String>> rows = new ArrayList<>();

  TextTable(String... header) {
    this.header = List.of(header);
  }

  void row(String... cells) {
    rows.add(List.of(cells));
  }

  /// The lines, header first, at most `width` characters each, indented by two.
  List<String> lines(int width, Style style) {
    int columns = header.size();
    int[] widths = new int[columns];
    for (int column = 0; column < columns; column++) {
      widths[column] = header.get(column).length();
      for (List<String> row : rows) {
        widths[column] = Math.max(widths[column], row.get(column).length());
      }
    }
    int figures = 0;
    for (int column = 1; column < columns; column++) {
      figures += GAP + widths[column];
    }
    widths[0] = Math.max(8, Math.min(widths[0], width - 2 - figures));
    List<String> lines = new ArrayList<>();
    lines.add(style.dim(line(header, widths)));
    for (List<String> row : rows) {
      lines.add(line(row, widths));
    }
    return lines;
  }

  private static String line(List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder("  ");
    line.append(padRight(shortened(cells.getFirst(), widths[0]), widths[0]));
    for (int column = 1; column < cells.size(); column++) {
      String cell = cells.get(column);
      line.append(" ".repeat(GAP + Math.max(0, widths[column] - cell.length()))).append(cell);
    }
    return line.toString();
  }

  static String padRight(String text, int width) {
    return text + " ".repeat(Math.max(0, width - text.length()));
  }

  /// The text, or its beginning and end around an ellipsis: kernel names differ at the end.
  static String shortened(String text, int width) {
    if (text.length() <= width) {
      return text;
    }
    int tail = Math.max(0, width / 3);
    int head = width - tail - 1;
    return text.substring(0, head) + "…" + text.substring(text.length() - tail);
  }
}
