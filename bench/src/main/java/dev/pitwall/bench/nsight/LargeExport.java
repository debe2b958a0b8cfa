package dev.pitwall.bench.nsight;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/// An export of a training run as Nsight Systems 2025 writes it: the columns of its tables, in its
/// order, filled by SQL.
///
/// For every kernel there is the call that launched it. On top, of every 1,000 kernels: 250
/// operator ranges as `torch.autograd.profiler.emit_nvtx` writes them (each text another), 100
/// copies with their calls, 100 calls of the operating system, 10 stream synchronizations and one
/// range that is the step.
final class LargeExport {
  /// Bytes of the file for each kernel, as measured on a file of 1 GB.
  private static final int BYTES_PER_KERNEL = 172;

  private static final int KERNELS_PER_STEP = 1_000;
  private static final int NANOS_PER_KERNEL = 9_000;
  private static final int KERNEL_NAMES = 600;
  private static final int FIRST_KERNEL_NAME = 100;
  private static final long PROCESS = 0x1_0000_2B00_0000L;
  private static final String NUMBERS =
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %d) ";

  private LargeExport() {}

  /// Writes an export of about this size, where no file is yet.
  static void write(Path file, long bytes) throws SQLException, IOException {
    long kernels = Math.max(KERNELS_PER_STEP, bytes / BYTES_PER_KERNEL);
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA journal_mode = OFF");
      statement.execute("PRAGMA synchronous = OFF");
      connection.setAutoCommit(false);
      createTables(statement);
      insertStrings(statement);
      insertRuntimeCalls(statement, kernels);
      insertDeviceWork(statement, kernels);
      insertRanges(statement, kernels);
      connection.commit();
    }
    if (Files.size(file) == 0) {
      throw new IOException(file + " was not written");
    }
  }

  private static void createTables(Statement statement) throws SQLException {
    statement.execute(
        "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)");
    statement.execute(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,"
            + " eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId"
            + " INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER)");
    statement.execute(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,"
            + " deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,"
            + " streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, demangledName"
            + " INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, launchType"
            + " INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, gridX INTEGER"
            + " NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL,"
            + " blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT"
            + " NULL, dynamicSharedMemory INTEGER NOT NULL, localMemoryPerThread INTEGER NOT NULL,"
            + " localMemoryTotal INTEGER NOT NULL, gridId INTEGER NOT NULL, sharedMemoryExecuted"
            + " INTEGER, graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER)");
    statement.execute(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL,"
            + " deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,"
            + " streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, bytes INTEGER"
            + " NOT NULL, copyKind INTEGER NOT NULL, deprecatedSrcId INTEGER, srcKind INTEGER,"
            + " dstKind INTEGER, srcDeviceId INTEGER, srcContextId INTEGER, dstDeviceId INTEGER,"
            + " dstContextId INTEGER, migrationCause INTEGER, graphNodeId INTEGER, virtualAddress"
            + " INTEGER, copyCount INTEGER)");
    statement.execute(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER NOT NULL, end INTEGER NOT"
            + " NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId"
            + " INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,"
            + " deprecatedSyncType INTEGER, syncType INTEGER NOT NULL, eventId INTEGER NOT NULL,"
            + " eventSyncId INTEGER)");
    statement.execute(
        "CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL,"
            + " rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER,"
            + " endGlobalTid INTEGER, textId INTEGER, domainId INTEGER, uint64Value INTEGER,"
            + " int64Value INTEGER, doubleValue REAL, uint32Value INTEGER, int32Value INTEGER,"
            + " floatValue REAL, jsonTextId INTEGER, jsonText TEXT, binaryData TEXT)");
    statement.execute(
        "CREATE TABLE OSRT_API (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER"
            + " NOT NULL, globalTid INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL,"
            + " nestingLevel INTEGER, callchainId INTEGER NOT NULL)");
    statement.execute(
        "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT,"
            + " totalMemory INTEGER, memoryBandwidth INTEGER, smCount INTEGER, threadsPerWarp"
            + " INTEGER, maxWarpsPerSm INTEGER, computeMajor INTEGER, computeMinor INTEGER)");
    statement.execute(
        "INSERT INTO TARGET_INFO_GPU VALUES (0, 0, 'NVIDIA H200', 150754820096, 4800000000000, 132,"
            + " 32, 64, 9, 0)");
  }

  private static void insertStrings(Statement statement) throws SQLException {
    statement.execute(
        "INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'cudaMemcpyAsync_v3020'),"
            + " (3, 'cudaStreamSynchronize_v3020'), (4, 'read'), (5, 'ioctl')");
    statement.execute(
        NUMBERS.formatted(KERNEL_NAMES)
            + "INSERT INTO StringIds SELECT %d + i, 'void at::native::vectorized_elementwise_kernel<4,"
                .formatted(FIRST_KERNEL_NAME)
            + " at::native::functor_' || i || '<float>, ' || substr(hex(zeroblob(150)), 1, i % 300)"
            + " || '>(int, float*, const float*)' FROM n");
  }

  private static void insertRuntimeCalls(Statement statement, long kernels) throws SQLException {
    long thread = PROCESS + 3;
    // Every tenth kernel is followed by a copy, every hundredth by a synchronization.
    statement.execute(
        NUMBERS.formatted(kernels)
            + "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i * %d, i * %d + 3500 + i * 7919 %% 900,"
                .formatted(NANOS_PER_KERNEL, NANOS_PER_KERNEL)
            + " 0, %d, 2 * i + 1, 1, 0, NULL FROM n".formatted(thread));
    statement.execute(
        NUMBERS.formatted(kernels / 10)
            + "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i * 10 * %d + 4500, i * 10 * %d + 6000, 0,"
                .formatted(NANOS_PER_KERNEL, NANOS_PER_KERNEL)
            + " %d, 20 * i + 2, 2, 0, NULL FROM n".formatted(thread));
    statement.execute(
        NUMBERS.formatted(kernels / 100)
            + "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i * 100 * %d + 14000, i * 100 * %d +"
                .formatted(NANOS_PER_KERNEL, NANOS_PER_KERNEL)
            + " 17500, 0, %d, 200 * i + 4, 3, 0, NULL FROM n".formatted(thread));
    statement.execute(
        NUMBERS.formatted(kernels / 100)
            + "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SELECT i * 100 * %d + 14100, i * 100 *"
                .formatted(NANOS_PER_KERNEL)
            + " %d + 17400, 0, 1, NULL, 7, 200 * i + 4, %d, NULL, 3, 4294967295, NULL FROM n"
                .formatted(NANOS_PER_KERNEL, PROCESS));
    statement.execute(
        NUMBERS.formatted(kernels / 10)
            + "INSERT INTO OSRT_API SELECT i * 10 * %d, i * 10 * %d + 20000, 27, %d, 4 + i %% 2, 0, 0, 0"
                .formatted(NANOS_PER_KERNEL, NANOS_PER_KERNEL, thread + 1)
            + " FROM n");
  }

  private static void insertDeviceWork(Statement statement, long kernels) throws SQLException {
    String lag = " + 12000";
    statement.execute(
        NUMBERS.formatted(kernels)
            + "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i * %d%s, i * %d%s + 1500 + i * 7919 %% 5000,"
                .formatted(NANOS_PER_KERNEL, lag, NANOS_PER_KERNEL, lag)
            + " 0, 1, 0, 7, 2 * i + 1, %d, %d + i * 31 %% %d, %d + i * 31 %% %d, %d + i * 31 %% %d, 1, 1,"
                .formatted(
                    PROCESS,
                    FIRST_KERNEL_NAME,
                    KERNEL_NAMES,
                    FIRST_KERNEL_NAME,
                    KERNEL_NAMES,
                    FIRST_KERNEL_NAME,
                    KERNEL_NAMES)
            + " 32 + i %% 4 * 16, 96 + i %% 700, 1, 1, 256, 1, 1, 0, i %% 3 * 16384, 0, 67633152, i + 1,"
                .replace("%%", "%")
            + " 65536, NULL, 0 FROM n");
    statement.execute(
        NUMBERS.formatted(kernels / 10)
            + "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT i * 10 * %d%s + 6600, i * 10 * %d%s + 8000,"
                .formatted(NANOS_PER_KERNEL, lag, NANOS_PER_KERNEL, lag)
            + " 0, 1, 0, 7, 20 * i + 2, %d, 131072, 1, NULL, 1, 2, NULL, NULL, NULL, NULL, NULL, NULL,"
                .formatted(PROCESS)
            + " NULL, NULL FROM n");
  }

  private static void insertRanges(Statement statement, long kernels) throws SQLException {
    String columns = "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) ";
    long thread = PROCESS + 3;
    int stepNanos = KERNELS_PER_STEP * NANOS_PER_KERNEL;
    statement.execute(
        NUMBERS.formatted(kernels / KERNELS_PER_STEP)
            + columns
            + "SELECT i * %d - 500, (i + 1) * %d - 600, 59, 'iteration ' || i, %d, 0 FROM n"
                .formatted(stepNanos, stepNanos, thread));
    statement.execute(
        NUMBERS.formatted(kernels / 4)
            + columns
            + "SELECT i * 4 * %d - 300, i * 4 * %d + 35000, 59, 'aten::addmm, seq = ' || i || ', op_id = '"
                .formatted(NANOS_PER_KERNEL, NANOS_PER_KERNEL)
            + " || i || ', sizes = [[768], [4096, 768], [768, 768]]', %d, 0 FROM n"
                .formatted(thread));
  }
}
