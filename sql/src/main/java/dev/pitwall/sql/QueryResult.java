package dev.pitwall.sql;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The answer of a query: column names, their SQL types, and rows of texts as DuckDB writes them,
/// null for NULL.
///
/// @param cut whether rows beyond the limit were left out
/// @param millis how long the query took
public record QueryResult(
    List<String> columns,
    List<String> types,
    List<List<@Nullable String>> rows,
    boolean cut,
    long millis) {
  /// Whether a column holds numbers, for aligning and for JSON.
  public boolean isNumeric(int column) {
    return switch (types.get(column)) {
      case "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE" -> true;
      default -> types.get(column).startsWith("DECIMAL") || types.get(column).startsWith("U");
    };
  }
}
