package dev.pitwall.recorders.nsight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitwall.SharedData;
import dev.pitwall.error.PitwallException;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceFiles;
import dev.pitwall.trace.TraceIndex;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NsightReaderTest {
  @TempDir Path folder;

  @Test
  void kernelsJoinTheirLaunchesAndNamesReadAsTorchProfilerWritesThem() throws SQLException {
    Path file = folder.resolve("own.sqlite");
    fill(
        file,
        "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL)",
        "INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'void gemm<float>(int)'),"
            + " (3, 'cudaMemcpyAsync_v3020'), (4, 'step')",
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid,"
            + " correlationId, nameId)",
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 110, 0, 0x100002B000003, 5, 1), (120,"
            + " 130, 0, 0x100002B000003, 6, 3)",
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId,"
            + " globalPid, demangledName, gridX, blockX)",
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (150, 250, 0, 7, 5, 0x100002B000000, 2, 64,"
            + " 128)",
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, streamId, correlationId,"
            + " globalPid, bytes, copyKind, srcKind, dstKind)",
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (260, 290, 0, 7, 6, 0x100002B000000, 4096,"
            + " 1, 0, 2)",
        "CREATE TABLE NVTX_EVENTS_V3 (start, end, eventType, text, textId, globalTid)",
        "INSERT INTO NVTX_EVENTS_V3 VALUES (90, 140, 59, NULL, 4, 0x100002B000003), (95, 135, 59,"
            + " 'aten::mm, op_id = 1, sizes = [[8, 4], [4, 2]]', NULL, 0x100002B000003)");
    TraceIndex index = TraceIndex.of(TraceFiles.read(file).getFirst(), "step");
    int kernel = row(index.trace(), "void gemm<float>(int)");
    int copy = row(index.trace(), "Memcpy HtoD (Pageable -> Device)");
    assertThat(index.trace().name(index.launches().launchOf(kernel))).isEqualTo("cudaLaunchKernel");
    assertThat(index.trace().name(index.operatorOf(copy))).isEqualTo("aten::mm");
    assertThat(index.stepOf(kernel)).isZero();
    assertThat(
            index
                .trace()
                .slices()
                .deviceWork()
                .bytes(index.trace().slices().deviceWorkDetail(copy)))
        .isEqualTo(4096);
    assertThat(index.trace().tracks().get(index.trace().slices().track(copy)).label())
        .isEqualTo("stream 7 (GPU 0)");
  }

  @Test
  void hostileSchemasRunNothing() throws SQLException {
    Path file = folder.resolve("hostile.sqlite");
    fill(
        file,
        "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)",
        "INSERT INTO StringIds VALUES (1, x'00ff00ff'), (2, NULL), ('3', 3.5)",
        // Reading this view would never end.
        "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL"
            + " SELECT i + 1 FROM n) SELECT i AS start, i AS end FROM n",
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start TEXT, end BLOB, bytes, computed GENERATED"
            + " ALWAYS AS (zeroblob(1 << 20)))",
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start, end, bytes) VALUES ('not a number',"
            + " x'0102', 'many')",
        "CREATE TABLE \"odd\"\"name\" (a)",
        "CREATE TRIGGER t AFTER INSERT ON StringIds BEGIN DELETE FROM StringIds; END",
        "CREATE TABLE NVTX_EVENTS (eventType)",
        "INSERT INTO NVTX_EVENTS VALUES (59)");
    Trace trace = TraceFiles.read(file).getFirst();
    assertThat(trace.slices().size()).isEqualTo(1);
    assertThat(trace.losses().count("no-cuda-trace")).isEqualTo(1);
  }

  @Test
  void aSqliteFileOfAnotherKindAndAReportThatWasNotExportedAreRefusedWithAdvice()
      throws SQLException, IOException {
    Path other = folder.resolve("other.sqlite");
    fill(other, "CREATE TABLE notes (text)");
    assertThatThrownBy(() -> TraceFiles.read(other))
        .isInstanceOf(PitwallException.class)
        .hasMessageContaining("no Nsight Systems export");
    Path report = Files.write(folder.resolve("run.nsys-rep"), new byte[] {1, 2, 3});
    assertThatThrownBy(() -> TraceFiles.read(report))
        .isInstanceOf(PitwallException.class)
        .hasMessageEndingWith("nsys export --type sqlite run.nsys-rep");
  }

  @Test
  void randomDamageEndsInATraceOrOneSentence() throws SQLException, IOException {
    Path file = folder.resolve("whole.sqlite");
    fill(
        file,
        "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT INTO"
            + " StringIds SELECT i, 'name ' || i FROM n",
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, demangledName)",
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT id * 10, id * 10 + 5, id FROM StringIds");
    byte[] whole = Files.readAllBytes(file);
    long seed = new SplittableRandom().nextLong();
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 60; round++) {
      byte[] damaged = whole.clone();
      for (int flips = 0; flips < 30; flips++) {
        damaged[16 + random.nextInt(damaged.length - 16)] = (byte) random.nextInt();
      }
      Path broken =
          Files.write(
              folder.resolve("broken" + round + ".sqlite"),
              java.util.Arrays.copyOf(damaged, 100 + random.nextInt(damaged.length - 100)));
      try {
        TraceFiles.read(broken);
      } catch (PitwallException refused) {
        assertThat(refused.getMessage()).as("seed %d", seed).contains("broken" + round);
      }
    }
  }

  @Test
  void everyPublicExportIsReadOrRefusedAndKernelSumsEqualSql() throws IOException, SQLException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(SharedData.require("corpus/nsys"))) {
      files = all.filter(Files::isRegularFile).sorted().toList();
    }
    for (Path file : files) {
      Trace trace;
      try {
        trace = TraceFiles.read(file).getFirst();
      } catch (PitwallException refused) {
        assertThat(refused.getMessage()).contains("nsys export --type sqlite");
        continue;
      }
      long kernelNanos = 0;
      for (int row = 0; row < trace.slices().size(); row++) {
        if (trace.slices().category(row) == Category.KERNEL
            && trace.names().text(trace.slices().categoryNameId(row)).equals("kernel")) {
          kernelNanos += trace.slices().durationNanos(row);
        }
      }
      assertThat(kernelNanos).as("%s", file).isEqualTo(kernelNanosBySql(file));
    }
  }

  private static long kernelNanosBySql(Path file) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection("jdbc:sqlite:" + file.toUri() + "?mode=ro&immutable=1");
        Statement statement = connection.createStatement()) {
      try (ResultSet rows =
          statement.executeQuery("SELECT sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL")) {
        return rows.next() ? rows.getLong(1) : 0;
      } catch (SQLException noSuchTable) {
        return 0;
      }
    }
  }

  private static void fill(Path file, String... statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static int row(Trace trace, String name) {
    for (int row = 0; row < trace.slices().size(); row++) {
      if (trace.name(row).equals(name)) {
        return row;
      }
    }
    throw new AssertionError("no slice " + name);
  }
}
