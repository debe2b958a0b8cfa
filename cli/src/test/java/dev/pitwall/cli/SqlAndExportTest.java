package dev.pitwall.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.pitwall.SharedData;
import dev.pitwall.json.Json;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// `sql` and `export` say what `analyze` says.
class SqlAndExportTest {
  private static final String RECORDING = "h200/gpt2/item.trace.json.gz";

  @TempDir Path folder;

  private static String run(int expectedStatus, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter errors = new StringWriter();
    CommandLine commandLine = Pitwall.commandLine();
    commandLine.setOut(new PrintWriter(out));
    commandLine.setErr(new PrintWriter(errors));
    int status = commandLine.execute(arguments);
    assertThat(status).as(errors.toString()).isEqualTo(expectedStatus);
    return out + errors.toString();
  }

  private static Json query(Path recording, String sql) {
    return Json.parse(run(0, "sql", recording.toString(), sql, "--json", "-")).get("rows");
  }

  @Test
  void theTablesGiveTheNumbersOfTheReport() {
    Path recording = SharedData.require(RECORDING);
    Json report = Json.parse(run(0, "analyze", recording.toString(), "--json", "-"));

    Json steps = query(recording, "SELECT count(*), median(dur_ns) / 1e6 FROM steps");
    assertThat(steps.get(0).get(0).integer(0))
        .isEqualTo(report.get("steps").get("count").integer(1));

    Json first = report.get("findings").get(0);
    Json finding = query(recording, "SELECT id, gain_ms FROM findings ORDER BY gain_ms DESC");
    assertThat(finding.get(0).get(0).text("")).isEqualTo(first.get("id").text("-"));
    assertThat(finding.get(0).get(1).number(0))
        .isCloseTo(first.get("gain").get("value_ms").number(1), within(1e-5));

    Json evidence =
        query(
            recording,
            "SELECT count(*) FROM evidence WHERE finding_id = '" + first.get("id").text("") + "'");
    assertThat(evidence.get(0).get(0).integer(0)).isEqualTo(first.get("evidence").size());

    Json slices = query(recording, "SELECT count(*) FROM slices");
    assertThat(slices.get(0).get(0).integer(0)).isGreaterThan(10_000);
  }

  @Test
  void whatIsExportedReadsBackWithTheSameSums() throws Exception {
    Path recording = SharedData.require(RECORDING);
    Path perfetto = folder.resolve("run.json.gz");
    run(
        0,
        "export",
        recording.toString(),
        "--parquet",
        folder.resolve("tables").toString(),
        "--perfetto",
        perfetto.toString());

    Json kernels =
        query(
            recording,
            "SELECT count(*), sum(kernel_dur_ns) FROM launches WHERE category = 'kernel'");
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement();
        ResultSet read =
            statement.executeQuery(
                "SELECT count(*), sum(kernel_dur_ns) FROM '"
                    + folder.resolve("tables").resolve("launches.parquet")
                    + "' WHERE category = 'kernel'")) {
      read.next();
      assertThat(read.getLong(1)).isEqualTo(kernels.get(0).get(0).integer(0));
      assertThat(read.getLong(2)).isEqualTo(kernels.get(0).get(1).integer(0));
    }

    Json trace;
    try (InputStream in = new GZIPInputStream(Files.newInputStream(perfetto))) {
      trace = Json.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
    long exported = 0;
    double kernelMicros = 0;
    for (Json event : trace.get("traceEvents")) {
      if (event.get("cat").text("").equals("kernel")) {
        exported++;
        kernelMicros += event.get("dur").number(0);
      }
    }
    assertThat(exported).isEqualTo(kernels.get(0).get(0).integer(0));
    assertThat(kernelMicros * 1000).isCloseTo(kernels.get(0).get(1).number(0), within(1.0));
  }

  @Test
  void aWrongQueryIsWrongUsageInOneSentence() {
    Path recording = SharedData.require(RECORDING);

    assertThat(run(2, "sql", recording.toString(), "DROP VIEW slices")).contains("read-only");
    assertThat(run(2, "export", recording.toString())).contains("--parquet");
    assertThat(run(3, "sql", folder.resolve("none.json").toString(), "SELECT 1"))
        .contains("none.json");
  }
}
