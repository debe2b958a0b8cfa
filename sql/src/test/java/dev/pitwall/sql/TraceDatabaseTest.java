package dev.pitwall.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitwall.error.PitwallException;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Evidence;
import dev.pitwall.finding.Finding;
import dev.pitwall.finding.Fix;
import dev.pitwall.finding.Gain;
import dev.pitwall.finding.Severity;
import dev.pitwall.report.TextPage;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.TinyTrace;
import dev.pitwall.trace.TraceIndex;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class TraceDatabaseTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private static final List<Finding> FINDINGS =
      List.of(
          new Finding(
              "host-sync",
              Severity.HIGH,
              "2 ms a step waiting",
              "why",
              new Fix("do not", "x = 1", "https://example.org"),
              new Gain(Estimate.measured(2.5), 0.25),
              List.of(new Evidence(0, "stream 7 (GPU 0)", "gemm", 15_000, 30_000))));

  private static TraceIndex tiny() {
    return new TinyTrace()
        .cpu("10", Category.USER_ANNOTATION, "ProfilerStep#3", 0, 100)
        .cpu("10", Category.CPU_OP, "aten::mm", 5, 20)
        .cpu("10", Category.RUNTIME, "cudaLaunchKernel", 8, 4, 1)
        .cpu("10", Category.CPU_OP, "aten::add", 50, 10)
        .cpu("10", Category.RUNTIME, "cudaLaunchKernel", 52, 4, 2)
        .device(7, Category.KERNEL, "gemm<\"x\">", 15, 30, 1)
        .device(7, Category.KERNEL, "add", 60, 5, 2)
        .device(7, Category.KERNEL, "before the window", 1, 2, 99)
        .index();
  }

  private static List<List<@Nullable String>> rows(String sql) {
    try (TraceDatabase database = TraceDatabase.open(List.of(tiny(), tiny()), () -> FINDINGS)) {
      return database.query(sql, 100, LIMIT).rows();
    }
  }

  @Test
  void slicesOfAllRanksAreRowsWithTrackCategoryAndStep() {
    assertThat(
            rows(
                "SELECT rank, track, category, name, start_ns, dur_ns, step FROM slices"
                    + " WHERE track_kind = 'stream' ORDER BY rank, start_ns"))
        .hasSize(6)
        .contains(
            List.of("0", "stream 7 (GPU 0)", "kernel", "gemm<\"x\">", "15000", "30000", "0"),
            List.of("1", "stream 7 (GPU 0)", "kernel", "add", "60000", "5000", "0"));
  }

  @Test
  void aLaunchTiesOperatorCallAndKernelTogetherAndAnOrphanHasNeither() {
    assertThat(
            rows(
                "SELECT operator, api, kernel, delay_ns, orphan FROM launches WHERE rank = 0"
                    + " ORDER BY kernel_start_ns"))
        .containsExactly(
            Arrays.<@Nullable String>asList(null, null, "before the window", null, "true"),
            List.of("aten::mm", "cudaLaunchKernel", "gemm<\"x\">", "7000", "false"),
            List.of("aten::add", "cudaLaunchKernel", "add", "8000", "false"));
  }

  @Test
  void stepsAndFindingsAreTables() {
    assertThat(
            rows("SELECT rank, step, dur_ns, cpu_end_ns - cpu_start_ns FROM steps ORDER BY rank"))
        .containsExactly(
            List.of("0", "0", "62000", "100000"), List.of("1", "0", "62000", "100000"));
    assertThat(
            rows("SELECT id, gain_ms, e.name FROM findings f JOIN evidence e ON id = finding_id"))
        .containsExactly(List.of("host-sync", "2.5", "gemm"));
  }

  @Test
  void selfTimeIsWithoutTheChildren() {
    assertThat(rows("SELECT self_ns FROM operators WHERE name = 'aten::mm' AND rank = 0"))
        .containsExactly(List.of("16000"));
  }

  @Test
  void rowsBeyondTheLimitAreLeftOutAndSaidToBe() {
    try (TraceDatabase database = TraceDatabase.open(List.of(tiny()), () -> FINDINGS)) {
      QueryResult result = database.query("SELECT * FROM slices", 3, LIMIT);
      assertThat(result.rows()).hasSize(3);
      assertThat(result.cut()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DROP VIEW slices",
        "CREATE TABLE t AS SELECT 1",
        "SELECT 1; DROP VIEW slices",
        "SELECT 1; SELECT 2",
        "COPY (SELECT 1) TO 'out.csv'",
        "SELECT * FROM read_text('pom.xml')",
        "SELECT * FROM 'pom.xml'",
        "SELECT * FROM read_csv('https://127.0.0.1/x.csv')",
        "SET enable_external_access = true",
        "ATTACH 'x.db'",
        "INSTALL httpfs",
        "PRAGMA database_list",
        "SELECT nothing FROM nowhere",
        "SELEC",
        ""
      })
  void whatIsNoPlainReadingIsRefusedInOneSentence(String sql) {
    try (TraceDatabase database = TraceDatabase.open(List.of(tiny()), () -> FINDINGS)) {
      assertThatThrownBy(() -> database.query(sql, 10, LIMIT))
          .isInstanceOf(PitwallException.class)
          .hasMessageNotContaining("org.duckdb");
      assertThat(database.query("SELECT count(*) FROM slices", 10, LIMIT).rows())
          .containsExactly(List.of("8"));
    }
  }

  @Test
  void aQueryThatTakesTooLongIsStopped() {
    try (TraceDatabase database = TraceDatabase.open(List.of(tiny()), () -> FINDINGS)) {
      assertThatThrownBy(
              () ->
                  database.query(
                      "SELECT sum(a.range * b.range % 7) FROM range(10000000) a, range(10000000) b",
                      10, Duration.ofMillis(300)))
          .isInstanceOf(PitwallException.class)
          .hasMessageContaining("stopped after");
    }
  }

  @Test
  void whatCouldSteerATerminalIsReplacedInEveryCell() {
    QueryResult result =
        new QueryResult(
            List.of("na\u009bme"),
            List.of("VARCHAR"),
            List.of(List.of("a\u001b[31m\u0085\u202e\u2066b")),
            false,
            1);

    assertThat(new TextPage(100, false).table(QueryTable.table(result)).toString())
        .contains("na\uFFFDme", "a\uFFFD[31m\uFFFD\uFFFD\uFFFDb");
  }

  @Test
  void parquetFilesReadBackWithTheSameNumbers(@TempDir Path folder) throws Exception {
    List<Path> files = ParquetExport.write(List.of(tiny(), tiny()), FINDINGS, folder);

    assertThat(files).hasSize(ParquetExport.VIEWS.size()).allMatch(Files::exists);
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement();
        ResultSet sums =
            statement.executeQuery(
                "SELECT count(*), sum(kernel_dur_ns) FROM '"
                    + folder.resolve("launches.parquet")
                    + "'")) {
      sums.next();
      assertThat(sums.getInt(1)).isEqualTo(6);
      assertThat(sums.getLong(2)).isEqualTo(74_000);
    }
    try (var left = Files.list(folder)) {
      assertThat(left).hasSize(ParquetExport.VIEWS.size());
    }
  }

  @Test
  void thePerfettoFileIsTraceEventJsonWithFlowsAndSteps(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("trace.json");
    PerfettoExport.write(List.of(tiny()), file);

    JsonNode events = new JsonMapper().readTree(Files.readString(file)).get("traceEvents");
    int slices = 0;
    int flows = 0;
    for (JsonNode event : events) {
      assertThat(event.get("ph").asString()).isIn("X", "M", "s", "f", "C");
      slices += event.get("ph").asString().equals("X") ? 1 : 0;
      flows += event.get("ph").asString().equals("s") ? 1 : 0;
    }
    assertThat(slices).isEqualTo(9);
    assertThat(flows).isEqualTo(2);
    assertThat(events.toString()).contains("gemm<\\\"x\\\">");
  }
}
