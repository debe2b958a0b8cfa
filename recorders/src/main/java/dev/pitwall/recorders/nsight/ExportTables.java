package dev.pitwall.recorders.nsight;

import dev.pitwall.error.PitwallException;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteOpenMode;

/// The tables of a SQLite file that nobody vouches for, opened read-only.
///
/// Only the schema is asked of the database engine; rows are read from the pages ([TablePages]).
/// Only real tables are read and only their stored columns: a view, a virtual table or a computed
/// column could run whatever its author wrote. Extensions cannot be loaded, the schema is not
/// trusted, and a single value is limited to 16 MiB. A table or column that is absent reads as
/// absent.
final class ExportTables implements AutoCloseable {
  private static final int LARGEST_VALUE_BYTES = 16 << 20;

  /// Values of `hidden` in `PRAGMA table_xinfo`.
  private static final int STORED_COLUMN = 0;

  private static final int VIRTUAL_COLUMN = 2;
  private static final int ABSENT = -1;
  private static final int ROW_ID = -2;

  private static final String[] ACTIVITY = {
    "start", "end", "deviceId", "streamId", "correlationId", "globalPid"
  };

  /// Where a table's rows begin, and the place of each readable column in a row.
  private record Table(long rootPage, Map<String, Integer> placeOfColumn) {}

  private final Path file;
  private final TablePages pages;
  private final Map<String, Table> tables = new LinkedHashMap<>();
  private final Map<String, Long> damagedParts = new LinkedHashMap<>();

  ExportTables(Path file) {
    this.file = file;
    SQLiteConfig config = new SQLiteConfig();
    config.setReadOnly(true);
    config.setOpenMode(SQLiteOpenMode.OPEN_URI);
    config.enableLoadExtension(false);
    config.setPragma(SQLiteConfig.Pragma.LIMIT_LENGTH, Integer.toString(LARGEST_VALUE_BYTES));
    config.setPragma(SQLiteConfig.Pragma.LIMIT_ATTACHED, "0");
    try (Connection connection =
            config.createConnection("jdbc:sqlite:" + file.toUri() + "?mode=ro&immutable=1");
        Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA trusted_schema=OFF");
      statement.execute("PRAGMA query_only=ON");
      findTables(statement);
    } catch (SQLException failure) {
      throw broken(failure);
    }
    try {
      pages = new TablePages(file);
    } catch (IOException failure) {
      throw broken(failure);
    }
  }

  private void findTables(Statement statement) throws SQLException {
    Map<String, Long> roots = new LinkedHashMap<>();
    try (ResultSet rows =
        statement.executeQuery(
            "SELECT name, rootpage FROM sqlite_master WHERE type = 'table'"
                + " AND upper(ltrim(sql)) NOT LIKE 'CREATE VIRTUAL%' LIMIT 10000")) {
      while (rows.next()) {
        roots.put(rows.getString(1), rows.getLong(2));
      }
    }
    for (Map.Entry<String, Long> root : roots.entrySet()) {
      tables.put(root.getKey(), new Table(root.getValue(), columns(statement, root.getKey())));
    }
  }

  /// The stored columns of a table and where in a row each lies. An `INTEGER PRIMARY KEY` is the
  /// row id.
  private static Map<String, Integer> columns(Statement statement, String table)
      throws SQLException {
    Map<String, Integer> places = new LinkedHashMap<>();
    String integerKey = "";
    int keys = 0;
    try (ResultSet rows = statement.executeQuery("PRAGMA table_xinfo(" + quoted(table) + ")")) {
      int place = 0;
      while (rows.next()) {
        String name = rows.getString("name");
        int hidden = rows.getInt("hidden");
        if (hidden == STORED_COLUMN) {
          places.put(name, place);
        }
        place += hidden == VIRTUAL_COLUMN ? 0 : 1;
        if (rows.getInt("pk") > 0) {
          keys++;
          integerKey = "INTEGER".equalsIgnoreCase(rows.getString("type")) ? name : "";
        }
      }
    }
    if (keys == 1 && !integerKey.isEmpty()) {
      places.put(integerKey, ROW_ID);
    }
    return places;
  }

  /// The table of this name, or of this name with a version behind it (`NVTX_EVENTS_V3`), or an
  /// empty text.
  String find(String table) {
    if (tables.containsKey(table)) {
      return table;
    }
    return tables.keySet().stream()
        .filter(name -> name.matches(table + "_V\\d+"))
        .max(Comparator.naturalOrder())
        .orElse("");
  }

  boolean has(String table, String column) {
    Table found = tables.get(find(table));
    return found != null && found.placeOfColumn().containsKey(column);
  }

  /// Whether the table is there and has a row that can be read.
  boolean hasRows(String table) {
    return count(table) > 0;
  }

  /// Rows of a table that can be read, 0 where it is absent.
  long count(String table) {
    long[] rows = {0};
    forEach(table, row -> rows[0]++);
    return rows[0];
  }

  /// Calls `consumer` for each row of a table in stored order; not at all where the table is
  /// absent.
  void forEach(String table, Consumer<ExportRow> consumer, String... columns) {
    String name = find(table);
    Table found = tables.get(name);
    if (found == null) {
      return;
    }
    int[] places = new int[columns.length];
    for (int i = 0; i < columns.length; i++) {
      places[i] = found.placeOfColumn().getOrDefault(columns[i], ABSENT);
    }
    try {
      pages.forEach(found.rootPage(), new ExportRow(places, pages.charset()), consumer);
    } catch (IOException failure) {
      throw broken(failure);
    }
    if (pages.damaged() > 0) {
      damagedParts.put(name, pages.damaged());
    }
  }

  /// [#forEach] of a table of what a device or its driver did: before the columns given, columns 0
  /// to 5 are start, end, device, stream, correlation and process.
  void forEachActivity(String table, Consumer<ExportRow> consumer, String... furtherColumns) {
    String[] columns = Arrays.copyOf(ACTIVITY, ACTIVITY.length + furtherColumns.length);
    System.arraycopy(furtherColumns, 0, columns, ACTIVITY.length, furtherColumns.length);
    forEach(table, consumer, columns);
  }

  /// The tables read so far that are damaged, with the pages and rows of each that were skipped.
  Map<String, Long> damagedParts() {
    return damagedParts;
  }

  @Override
  public void close() {
    try {
      pages.close();
    } catch (IOException nothingToSave) {
      // The file was opened read-only.
    }
  }

  private PitwallException broken(Exception failure) {
    return PitwallException.unreadable(
        file
            + " is a damaged or foreign SQLite file ("
            + failure.getMessage()
            + "); export the report again with: nsys export --type sqlite REPORT.nsys-rep");
  }

  private static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }
}
