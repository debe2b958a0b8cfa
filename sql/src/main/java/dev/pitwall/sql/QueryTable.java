package dev.pitwall.sql;

import dev.pitwall.json.JsonWriter;
import dev.pitwall.report.PlainText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A query's answer as text for a terminal and as JSON.
public final class QueryTable {
  private static final int WIDEST_CELL = 100;

  private QueryTable() {}

  /// Columns aligned by spaces, numbers to the right, long texts cut with `…`, what could
  /// steer a terminal replaced as in the report.
  public static String text(QueryResult result) {
    int[] widths = new int[result.columns().size()];
    for (int column = 0; column < widths.length; column++) {
      widths[column] = result.columns().get(column).length();
      for (List<@Nullable String> row : result.rows()) {
        widths[column] = Math.max(widths[column], cell(row.get(column)).length());
      }
    }
    StringBuilder out = new StringBuilder();
    line(out, result, List.copyOf(result.columns()), widths);
    out.append(
            "-".repeat(Math.max(0, java.util.Arrays.stream(widths).sum() + 2 * widths.length - 2)))
        .append('\n');
    for (List<@Nullable String> row : result.rows()) {
      line(out, result, row, widths);
    }
    return out.toString();
  }

  /// `{"columns": [...], "rows": [[...]], "cut": false}` with numbers as numbers.
  public static String json(QueryResult result) {
    JsonWriter json = new JsonWriter().object().key("columns").array();
    result.columns().forEach(json::value);
    json.end().key("rows").array();
    for (List<@Nullable String> row : result.rows()) {
      json.array();
      for (int column = 0; column < row.size(); column++) {
        String cell = row.get(column);
        if (cell != null && result.isNumeric(column)) {
          json.value(new dev.pitwall.json.Json.Number(cell));
        } else if (cell != null && result.types().get(column).equals("BOOLEAN")) {
          json.value(Boolean.parseBoolean(cell));
        } else {
          json.value(cell);
        }
      }
      json.end();
    }
    return json.end().key("cut").value(result.cut()).end() + "\n";
  }

  private static void line(
      StringBuilder out, QueryResult result, List<? extends @Nullable String> row, int[] widths) {
    int from = out.length();
    for (int column = 0; column < widths.length; column++) {
      String cell = cell(row.get(column));
      String padding = " ".repeat(widths[column] - cell.length());
      out.append(result.isNumeric(column) ? padding + cell : cell + padding).append("  ");
    }
    int end = out.length();
    while (end > from && out.charAt(end - 1) == ' ') {
      end--;
    }
    out.setLength(end);
    out.append('\n');
  }

  private static String cell(@Nullable String text) {
    if (text == null) {
      return "";
    }
    String plain = PlainText.printable(text);
    return plain.length() <= WIDEST_CELL ? plain : plain.substring(0, WIDEST_CELL - 1) + "…";
  }
}
