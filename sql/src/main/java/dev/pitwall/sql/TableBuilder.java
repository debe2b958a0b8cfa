package dev.pitwall.sql;

import dev.pitwall.sql.ArrayTable.Cell;
import dev.pitwall.sql.ArrayTable.Column;
import dev.pitwall.sql.ArrayTable.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntToLongFunction;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import org.duckdb.DuckDBColumnType;
import org.jspecify.annotations.Nullable;

/// Collects the columns of one table and its rows, part by part, each with a cell a column. A
/// negative id or number in the arrays is NULL.
final class TableBuilder {
  private final String name;
  private final List<Column> columns = new ArrayList<>();
  private final List<Part> parts = new ArrayList<>();

  TableBuilder(String name) {
    this.name = name;
  }

  TableBuilder column(String columnName, DuckDBColumnType type) {
    columns.add(new Column(columnName, type));
    return this;
  }

  TableBuilder part(int rows, Cell... cells) {
    if (cells.length != columns.size()) {
      throw new IllegalArgumentException(name + " has " + columns.size() + " columns");
    }
    parts.add(new Part(rows, List.of(cells)));
    return this;
  }

  ArrayTable build() {
    List<Part> all = List.copyOf(parts);
    return build(() -> all);
  }

  ArrayTable build(Supplier<List<Part>> source) {
    return new ArrayTable(name, List.copyOf(columns), source);
  }

  static Cell integer(IntUnaryOperator value) {
    return (vector, at, row) -> {
      int cell = value.applyAsInt(row);
      if (cell < 0) {
        vector.setNull(at);
      } else {
        vector.setInt(at, cell);
      }
    };
  }

  static Cell bigint(IntToLongFunction value) {
    return (vector, at, row) -> {
      long cell = value.applyAsLong(row);
      if (cell < 0) {
        vector.setNull(at);
      } else {
        vector.setLong(at, cell);
      }
    };
  }

  static Cell real(IntToDoubleFunction value) {
    return (vector, at, row) -> vector.setDouble(at, value.applyAsDouble(row));
  }

  static Cell text(IntFunction<@Nullable String> value) {
    return (vector, at, row) -> {
      String cell = value.apply(row);
      if (cell == null) {
        vector.setNull(at);
      } else {
        vector.setString(at, cell);
      }
    };
  }
}
