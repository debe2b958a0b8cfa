package dev.pitwall.sql;

import dev.pitwall.error.PitwallException;
import dev.pitwall.finding.Finding;
import dev.pitwall.trace.TraceIndex;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;

/// A run as an SQL database: `slices`, `operators`, `launches`, `steps`, `findings`, `evidence`,
/// `counters`, `memory`, `tracks` and `losses` (`docs/sql.md`). Nothing is loaded: the tables are
/// the trace's own arrays.
///
/// Queries may only read: one SELECT, no files, no network, no settings, bounded in rows, time and
/// memory. Safe for many threads; one query runs at a time on each connection of its own.
public final class TraceDatabase implements AutoCloseable {
  private static final String MEMORY_LIMIT = "2GB";

  private static final Duration STOP_GRACE = Duration.ofSeconds(1);

  private final DuckDBConnection root;
  private volatile boolean isAbandoned;

  private TraceDatabase(DuckDBConnection root) {
    this.root = root;
  }

  /// Opens a run for reading only.
  ///
  /// @param findings asked for, once, when the first query names `findings` or `evidence`
  public static TraceDatabase open(List<TraceIndex> ranks, Supplier<List<Finding>> findings) {
    return open(ranks, findings, false);
  }

  static TraceDatabase open(
      List<TraceIndex> ranks, Supplier<List<Finding>> findings, boolean mayWriteFiles) {
    Properties settings = new Properties();
    settings.setProperty("autoinstall_known_extensions", "false");
    settings.setProperty("autoload_known_extensions", "false");
    settings.setProperty("memory_limit", MEMORY_LIMIT);
    settings.setProperty("jdbc_stream_results", "true");
    try {
      DuckDBConnection root =
          DriverManager.getConnection("jdbc:duckdb:", settings).unwrap(DuckDBConnection.class);
      List<ArrayTable> tables = new ArrayList<>(new TraceTables(ranks).all());
      tables.addAll(FindingTables.all(ranks, findings));
      for (ArrayTable table : tables) {
        table.register(root);
      }
      try (Statement statement = root.createStatement()) {
        for (String view : viewStatements()) {
          statement.execute(view);
        }
        if (!mayWriteFiles) {
          statement.execute("SET temp_directory = ''");
          statement.execute("SET enable_external_access = false");
          statement.execute("SET lock_configuration = true");
        }
      }
      return new TraceDatabase(root);
    } catch (SQLException failure) {
      throw new IllegalStateException("the SQL database did not open", failure);
    }
  }

  /// Runs one SELECT. A query that does not stop when its time is up is left to its thread: DuckDB
  /// looks for the request to stop only between chunks of rows.
  ///
  /// @param maximumRows rows given at most; the result says whether there were more
  /// @param limit after which the query is stopped
  /// @throws PitwallException (exit code 2) where the text is no SELECT, DuckDB refuses it, or it
  ///     takes longer than the limit
  public QueryResult query(String sql, int maximumRows, Duration limit) {
    AtomicReference<@Nullable Statement> running = new AtomicReference<>();
    FutureTask<QueryResult> task = new FutureTask<>(() -> run(sql, maximumRows, running));
    Thread.ofPlatform().daemon().name("query").start(task);
    try {
      return task.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException late) {
      stop(task, running);
      throw PitwallException.usage(
          "the query was stopped after "
              + limit.toSeconds()
              + " s; ask for less, for example with WHERE step = 0");
    } catch (ExecutionException failed) {
      switch (failed.getCause()) {
        case SQLException refused -> throw PitwallException.usage(sentence(refused));
        case RuntimeException failure -> throw failure;
        case Error failure -> throw failure;
        case null, default -> throw new IllegalStateException(failed);
      }
    } catch (InterruptedException stopped) {
      stop(task, running);
      Thread.currentThread().interrupt();
      throw PitwallException.usage("the query was stopped");
    }
  }

  /// Closes the database, unless a query still runs that did not stop in time: closing would wait
  /// for it.
  @Override
  public void close() {
    if (isAbandoned) {
      return;
    }
    try {
      root.close();
    } catch (SQLException failure) {
      throw new IllegalStateException("the SQL database did not close", failure);
    }
  }

  Connection connection() throws SQLException {
    return root.duplicate();
  }

  // DuckDB's own parser decides: it turns SELECT statements, and nothing else, into JSON.
  private static void requireSelect(Connection connection, String sql) throws SQLException {
    try (PreparedStatement parse =
        connection.prepareStatement(
            "SELECT j ->> 'error', j ->> 'error_message', j ->> 'error_type',"
                + " json_array_length(j -> 'statements')"
                + " FROM (SELECT json_serialize_sql(CAST(? AS VARCHAR)) AS j)")) {
      parse.setString(1, sql);
      try (ResultSet parsed = parse.executeQuery()) {
        parsed.next();
        if (!"true".equals(parsed.getString(1))) {
          if (parsed.getInt(4) != 1) {
            throw PitwallException.usage(
                "give one SELECT, not " + parsed.getInt(4) + " statements");
          }
          return;
        }
        throw PitwallException.usage(
            "not implemented".equals(parsed.getString(3))
                ? "only a SELECT may run here: the database is read-only"
                : "the query does not parse: " + parsed.getString(2));
      }
    }
  }

  private QueryResult run(String sql, int maximumRows, AtomicReference<@Nullable Statement> running)
      throws SQLException {
    long began = System.nanoTime();
    try (Connection connection = root.duplicate()) {
      requireSelect(connection, sql);
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        running.set(statement);
        try (ResultSet answer = statement.executeQuery()) {
          return read(answer, maximumRows, began);
        }
      }
    }
  }

  // On a thread of its own, because cancelling may wait for the very call that does not end.
  private void stop(FutureTask<?> task, AtomicReference<@Nullable Statement> running) {
    Thread.ofPlatform().daemon().name("query-stop").start(() -> cancel(running.get()));
    try {
      task.get(STOP_GRACE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException stopped) {
      return;
    } catch (TimeoutException | InterruptedException stillRunning) {
      isAbandoned = true;
    }
  }

  private static void cancel(@Nullable Statement statement) {
    try {
      if (statement != null) {
        statement.cancel();
      }
    } catch (SQLException alreadyClosed) {
      // It ended by itself.
    }
  }

  private static QueryResult read(ResultSet answer, int maximumRows, long began)
      throws SQLException {
    ResultSetMetaData shape = answer.getMetaData();
    List<String> columns = new ArrayList<>();
    List<String> types = new ArrayList<>();
    for (int column = 1; column <= shape.getColumnCount(); column++) {
      columns.add(shape.getColumnLabel(column));
      types.add(shape.getColumnTypeName(column));
    }
    List<List<@Nullable String>> rows = new ArrayList<>();
    boolean cut = false;
    while (answer.next()) {
      if (rows.size() == maximumRows) {
        cut = true;
        break;
      }
      List<@Nullable String> row = new ArrayList<>(columns.size());
      for (int column = 1; column <= columns.size(); column++) {
        Object cell = answer.getObject(column);
        row.add(cell == null ? null : cell.toString());
      }
      rows.add(row);
    }
    long millis = (System.nanoTime() - began) / 1_000_000;
    return new QueryResult(columns, types, rows, cut, millis);
  }

  // DuckDB's messages carry the reason first and a picture of the query after it.
  private static String sentence(SQLException refused) {
    String message = String.valueOf(refused.getMessage());
    int picture = message.indexOf("\nLINE ");
    String reason = picture < 0 ? message : message.substring(0, picture);
    return "the query failed: " + reason.strip().replaceAll("\\s+", " ");
  }

  private static List<String> viewStatements() {
    try (InputStream in = TraceDatabase.class.getResourceAsStream("views.sql")) {
      if (in == null) {
        throw new IllegalStateException("views.sql is missing from the jar");
      }
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return List.of(text.strip().split(";\\s*\\n"));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
