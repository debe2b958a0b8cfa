package dev.pitwall.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.duckdb.DuckDBColumnType;
import org.duckdb.DuckDBDataChunkWriter;
import org.duckdb.DuckDBFunctions;
import org.duckdb.DuckDBTableFunction;
import org.duckdb.DuckDBTableFunctionBindInfo;
import org.duckdb.DuckDBTableFunctionBuilder;
import org.duckdb.DuckDBTableFunctionCallInfo;
import org.duckdb.DuckDBTableFunctionInitInfo;
import org.duckdb.DuckDBWritableVector;
import org.jspecify.annotations.Nullable;

/// A table function over arrays: the cells of the columns that a query asks for are written
/// straight from the arrays, 2,048 rows at a time, by several threads.
///
/// @param name the function's name; `SELECT * FROM name()`
/// @param columns in the order of the table
/// @param parts gives the rows when a query first asks, one part a rank; each has a cell writer for
///     every column
record ArrayTable(String name, List<Column> columns, Supplier<List<Part>> parts) {
  /// A column's name and type.
  record Column(String name, DuckDBColumnType type) {}

  /// Writes the cell of a row, or leaves it null by `setNull`.
  @FunctionalInterface
  interface Cell {
    void write(DuckDBWritableVector vector, long at, int row);
  }

  /// A run of rows with its writers, one a column.
  record Part(int rows, List<Cell> cells) {}

  private record Scan(int[] columns, AtomicInteger next) {}

  // One piece of a part that is written in one go.
  private record Piece(Part part, int from, int to) {}

  void register(Connection connection) throws SQLException {
    try (DuckDBTableFunctionBuilder builder = DuckDBFunctions.tableFunction()) {
      builder
          .withName(name)
          .withProjectionPushdown()
          .withFunction(new Function())
          .register(connection);
    }
  }

  private final class Function implements DuckDBTableFunction<Long, Scan, Object> {
    private static final int PIECE_ROWS = 2048;

    @Override
    public Long bind(DuckDBTableFunctionBindInfo info) {
      for (Column column : columns) {
        info.addResultColumn(column.name(), column.type());
      }
      long rows = parts.get().stream().mapToLong(Part::rows).sum();
      info.setCardinality(rows, true);
      return rows;
    }

    @Override
    public Scan init(DuckDBTableFunctionInitInfo info) {
      info.setMaxThreads(Runtime.getRuntime().availableProcessors());
      int[] asked = new int[(int) info.getColumnCount()];
      for (int i = 0; i < asked.length; i++) {
        asked[i] = (int) info.getColumnIndex(i);
      }
      return new Scan(asked, new AtomicInteger());
    }

    @Override
    public Object localInit(DuckDBTableFunctionInitInfo info) {
      return Boolean.TRUE;
    }

    @Override
    public long apply(DuckDBTableFunctionCallInfo info, DuckDBDataChunkWriter out) {
      Scan scan = info.getInitData();
      Piece piece = piece(scan.next().getAndIncrement());
      if (piece == null) {
        return 0;
      }
      for (int i = 0; i < scan.columns().length; i++) {
        int column = scan.columns()[i];
        if (column < 0 || column >= columns.size()) {
          continue;
        }
        Cell cell = piece.part().cells().get(column);
        DuckDBWritableVector vector = out.vector(i);
        for (int row = piece.from(); row < piece.to(); row++) {
          cell.write(vector, row - piece.from(), row);
        }
      }
      return piece.to() - piece.from();
    }

    private @Nullable Piece piece(int number) {
      int before = 0;
      for (Part part : parts.get()) {
        int pieces = (part.rows() + PIECE_ROWS - 1) / PIECE_ROWS;
        if (number < before + pieces) {
          int from = (number - before) * PIECE_ROWS;
          return new Piece(part, from, Math.min(part.rows(), from + PIECE_ROWS));
        }
        before += pieces;
      }
      return null;
    }
  }
}
