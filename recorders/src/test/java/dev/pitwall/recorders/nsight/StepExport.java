package dev.pitwall.recorders.nsight;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/// A small export written call by call: one thread, one stream, NVTX ranges `step`. Times are
/// microseconds; device work begins when it was launched and the work before it is done.
final class StepExport {
  static final int PAGEABLE = 0;
  static final int PINNED = 1;
  static final int DEVICE = 2;
  private static final int CALL_MICROS = 5;
  private static final int LAUNCH_LATENCY_MICROS = 8;

  private final List<String> names = new ArrayList<>();
  private final List<String> statements = new ArrayList<>();
  private long nowMicros = 1_000;
  private long deviceDoneMicros;
  private long stepStartMicros;
  private int correlation;

  StepExport beginStep() {
    stepStartMicros = nowMicros;
    return this;
  }

  StepExport endStep() {
    row("NVTX_EVENTS", nanos(stepStartMicros), nanos(nowMicros), 59, name("step"), 3);
    return this;
  }

  /// The host computes.
  StepExport host(long micros) {
    nowMicros += micros;
    return this;
  }

  StepExport kernel(long micros) {
    long start = deviceStart();
    call("cudaLaunchKernel_v7000", CALL_MICROS);
    row(
        "CUPTI_ACTIVITY_KIND_KERNEL",
        nanos(start),
        nanos(start + micros),
        0,
        7,
        correlation,
        0,
        name("gemm"));
    deviceDoneMicros = start + micros;
    return this;
  }

  /// A copy whose call returns at once, or once the copy is done.
  StepExport copy(String call, long micros, int kind, int source, int target, boolean blocks) {
    long start = deviceStart();
    call(call, blocks ? start + micros - nowMicros : CALL_MICROS);
    row(
        "CUPTI_ACTIVITY_KIND_MEMCPY",
        nanos(start),
        nanos(start + micros),
        0,
        7,
        correlation,
        0,
        micros * 10_000,
        kind,
        source,
        target);
    deviceDoneMicros = start + micros;
    return this;
  }

  StepExport blockingSet(String call, long micros, int memory) {
    long start = deviceStart();
    call(call, start + micros - nowMicros);
    row(
        "CUPTI_ACTIVITY_KIND_MEMSET",
        nanos(start),
        nanos(start + micros),
        0,
        7,
        correlation,
        0,
        micros * 10_000,
        memory);
    deviceDoneMicros = start + micros;
    return this;
  }

  /// A call that returns once the device has caught up.
  StepExport synchronize(String call) {
    call(call, Math.max(CALL_MICROS, deviceDoneMicros + CALL_MICROS - nowMicros));
    return this;
  }

  Path write(Path file) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL)");
      for (int id = 0; id < names.size(); id++) {
        statement.execute("INSERT INTO StringIds VALUES (" + id + ", '" + names.get(id) + "')");
      }
      statement.execute("CREATE TABLE NVTX_EVENTS (start, end, eventType, textId, globalTid)");
      statement.execute(
          "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId,"
              + " nameId)");
      String device = " (start, end, deviceId, streamId, correlationId, globalPid, ";
      statement.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL" + device + "shortName)");
      statement.execute(
          "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY"
              + device
              + "bytes, copyKind, srcKind, dstKind)");
      statement.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET" + device + "bytes, memKind)");
      for (String sql : statements) {
        statement.execute(sql);
      }
      connection.commit();
    }
    return file;
  }

  private long deviceStart() {
    return Math.max(deviceDoneMicros + 1, nowMicros + LAUNCH_LATENCY_MICROS);
  }

  private void call(String call, long micros) {
    correlation++;
    row(
        "CUPTI_ACTIVITY_KIND_RUNTIME",
        nanos(nowMicros),
        nanos(nowMicros + micros),
        3,
        correlation,
        name(call));
    nowMicros += micros;
  }

  private void row(String table, long... values) {
    StringBuilder sql = new StringBuilder("INSERT INTO " + table + " VALUES (");
    for (int i = 0; i < values.length; i++) {
      sql.append(i == 0 ? "" : ", ").append(values[i]);
    }
    statements.add(sql.append(')').toString());
  }

  private int name(String text) {
    if (!names.contains(text)) {
      names.add(text);
    }
    return names.indexOf(text);
  }

  private static long nanos(long micros) {
    return micros * 1_000;
  }
}
