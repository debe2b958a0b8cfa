package dev.pitwall.recorders.nsight;

import dev.pitwall.error.PitwallException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteOpenMode;

/// The tables of a SQLite file that nobody vouches for, opened read-only.
///
/// Only real tables are read and only their stored columns: a view, a virtual table or a computed
// column
/// could run whatever its author wrote. Extensions cannot be loaded, the schema is not trusted, and
// a
/// single value is limited to 16 MiB. A table or column that is absent reads as absent.
final class ExportTables implements AutoCloseable {
  private static final int LARGEST_VALUE_BYTES = 16 << 20;
  private static final int LONGEST_QUERY_SECONDS = 120;

  /// One row being read: column `i` of those asked for. Absent columns and nulls give the fallback.
  interface Row {
    long integer(int column, long fallback) throws SQLException;

    double number(int column, double fallback) throws SQLException;

    String text(int column) throws SQLException;
  }

  /// What is done with each row.
  interface RowConsumer {
    void accept(Row row) throws SQLException;
  }

  private final Path file;
  private final Connection connection;
  private final Map<String, Set<String>> columnsOfTable = new LinkedHashMap<>();

  ExportTables(Path file) {
    this.file = file;
    SQLiteConfig config = new SQLiteConfig();
    config.setReadOnly(true);
    config.setOpenMode(SQLiteOpenMode.OPEN_URI);
    config.enableLoadExtension(false);
    config.setPragma(SQLiteConfig.Pragma.LIMIT_LENGTH, Integer.toString(LARGEST_VALUE_BYTES));
    config.setPragma(SQLiteConfig.Pragma.LIMIT_ATTACHED, "0");
    config.setPragma(SQLiteConfig.Pragma.MMAP_SIZE, Long.toString(1L << 30));
    Connection opened = null;
    try {
      opened = config.createConnection("jdbc:sqlite:" + file.toUri() + "?mode=ro&immutable=1");
      connection = opened;
      try (Statement statement = connection.createStatement()) {
        statement.execute("PRAGMA trusted_schema=OFF");
        statement.execute("PRAGMA query_only=ON");
      }
      findTables();
    } catch (SQLException failure) {
      if (opened != null) {
        closeQuietly(opened);
      }
      throw broken(failure);
    }
  }

  private void findTables() throws SQLException {
    Set<String> tables = new LinkedHashSet<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
                    + " AND upper(ltrim(sql)) NOT LIKE 'CREATE VIRTUAL%' LIMIT 10000")) {
      while (rows.next()) {
        tables.add(rows.getString(1));
      }
    }
    for (String table : tables) {
      Set<String> columns = new LinkedHashSet<>();
      try (Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery("PRAGMA table_xinfo(" + quoted(table) + ")")) {
        while (rows.next()) {
          // "hidden" is 2 or 3 for computed columns.
          if (rows.getInt("hidden") == 0) {
            columns.add(rows.getString("name"));
          }
        }
      }
      columnsOfTable.put(table, columns);
    }
  }

  /// The table of this name, or of this name with a version behind it (`NVTX_EVENTS_V3`), or an
  // empty text.
  String find(String table) {
    if (columnsOfTable.containsKey(table)) {
      return table;
    }
    return columnsOfTable.keySet().stream()
        .filter(name -> name.matches(table + "_V\\d+"))
        .max(java.util.Comparator.naturalOrder())
        .orElse("");
  }

  boolean has(String table, String column) {
    return columnsOfTable.getOrDefault(find(table), Set.of()).contains(column);
  }

  /// Rows of a table, 0 where it is absent.
  long count(String table) {
    String name = find(table);
    if (name.isEmpty()) {
      return 0;
    }
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT count(*) FROM " + quoted(name))) {
      return rows.next() ? rows.getLong(1) : 0;
    } catch (SQLException failure) {
      throw broken(failure);
    }
  }

  /// Calls `consumer` for each row of a table in stored order; not at all where the table is
  // absent.
  void forEach(String table, RowConsumer consumer, String... columns) {
    String name = find(table);
    if (name.isEmpty()) {
      return;
    }
    Set<String> present = columnsOfTable.getOrDefault(name, Set.of());
    StringBuilder select = new StringBuilder("SELECT ");
    boolean[] has = new boolean[columns.length];
    for (int i = 0; i < columns.length; i++) {
      has[i] = present.contains(columns[i]);
      select.append(i == 0 ? "" : ", ").append(has[i] ? quoted(columns[i]) : "NULL");
    }
    select.append(" FROM ").append(quoted(name));
    try (Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(LONGEST_QUERY_SECONDS);
      try (ResultSet rows = statement.executeQuery(select.toString())) {
        Row row = new ResultRow(rows, has);
        while (rows.next()) {
          consumer.accept(row);
        }
      }
    } catch (SQLException failure) {
      throw broken(failure);
    }
  }

  @Override
  public void close() {
    closeQuietly(connection);
  }

  private PitwallException broken(SQLException failure) {
    return PitwallException.unreadable(
        file
            + " is a damaged or foreign SQLite file ("
            + failure.getMessage()
            + "); export the report again with: nsys export --type sqlite REPORT.nsys-rep");
  }

  private static void closeQuietly(Connection connection) {
    try {
      connection.close();
    } catch (SQLException nothingToSave) {
      // The file was opened read-only.
    }
  }

  private static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  private record ResultRow(ResultSet rows, boolean[] has) implements Row {
    @Override
    public long integer(int column, long fallback) throws SQLException {
      if (!has[column]) {
        return fallback;
      }
      long value = rows.getLong(column + 1);
      return value == 0 && rows.wasNull() ? fallback : value;
    }

    @Override
    public double number(int column, double fallback) throws SQLException {
      if (!has[column]) {
        return fallback;
      }
      double value = rows.getDouble(column + 1);
      return value == 0 && rows.wasNull() ? fallback : value;
    }

    @Override
    public String text(int column) throws SQLException {
      String value = has[column] ? rows.getString(column + 1) : null;
      return value == null ? "" : value;
    }
  }
}
