package dev.pitwall.sql;

import dev.pitwall.json.JsonWriter;
import dev.pitwall.report.TextTable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A query's answer as text for a terminal and as JSON.
public final class QueryTable {
  private QueryTable() {}

  /// The rows as a table, numbers to the right, NULL empty.
  public static TextTable table(QueryResult result) {
    List<TextTable.Column> columns = new ArrayList<>();
    for (int column = 0; column < result.columns().size(); column++) {
      String heading = result.columns().get(column);
      columns.add(result.isNumeric(column) ? TextTable.figure(heading) : TextTable.name(heading));
    }
    TextTable table = new TextTable(columns);
    for (List<@Nullable String> row : result.rows()) {
      table.row(row.stream().map(cell -> cell == null ? "" : cell).toList());
    }
    return table;
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
}
