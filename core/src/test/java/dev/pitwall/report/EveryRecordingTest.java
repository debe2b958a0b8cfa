package dev.pitwall.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.SharedData;
import dev.pitwall.error.ExitCode;
import dev.pitwall.error.PitwallException;
import dev.pitwall.json.Json;
import dev.pitwall.table.DataTable;
import dev.pitwall.trace.TraceReaders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Every trace there is, through the whole of `analyze`: analyzed, or refused in one sentence.
class EveryRecordingTest {
  private static final Set<String> TRACES =
      Set.of("kineto", "chrome", "ascend", "misc", "lfs_pointer");
  private static final int WIDTH = 80;

  @Test
  @Timeout(value = 15, unit = TimeUnit.MINUTES)
  void everyTraceIsAnalyzedOrRefusedInOneSentence() throws IOException {
    List<Path> files = files();
    long analyzed = files.parallelStream().filter(EveryRecordingTest::isAnalyzed).count();
    assertThat(analyzed).isGreaterThan(files.size() / 2);
  }

  /// Whether the file is a trace; one that is not must be refused in one sentence.
  private static boolean isAnalyzed(Path file) {
    Report report;
    try {
      report =
          ReportBuilder.build(List.of(RunAnalysis.analyze(file, TraceReaders.read(file), null)));
    } catch (PitwallException refused) {
      assertThat(refused.exitCode()).isEqualTo(ExitCode.UNREADABLE_INPUT);
      assertThat(refused.getMessage()).doesNotContain("\n").endsWith(".");
      return false;
    }
    assertThat(report.verdict()).as("verdict of %s", file).endsWith(".").doesNotContain("\n");
    assertThat(report.inputs().getFirst().warnings())
        .as("warnings of %s", file)
        .noneMatch(warning -> warning.text().startsWith("Simulating the fixes failed"));
    Json json = Json.parse(JsonReport.of(report));
    assertThat(json.get("schema").text("")).isEqualTo("pitwall.report/1");
    String text = TerminalReport.of(report, WIDTH, false);
    assertThat(text.lines().filter(EveryRecordingTest::mustFit))
        .as("lines of %s", file)
        .allMatch(line -> line.codePointCount(0, line.length()) <= WIDTH);
    assertThat(HtmlReport.of(report)).contains("</html>").doesNotContain("<script src");
    return true;
  }

  /// Code and links are not broken.
  private static boolean mustFit(String line) {
    return !line.contains("https://") && !line.startsWith("        ") && !line.contains("/");
  }

  private static List<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();
    try (Stream<Path> own = Files.walk(SharedData.require("h200"))) {
      own.filter(path -> path.toString().endsWith(".trace.json.gz")).sorted().forEach(files::add);
    }
    DataTable catalogue = DataTable.read(SharedData.require("corpus/CATALOG.tsv"));
    for (int row = 0; row < catalogue.rows(); row++) {
      if (TRACES.contains(catalogue.text(row, "kind"))) {
        files.add(SharedData.require("corpus/" + catalogue.text(row, "path")));
      }
    }
    return files;
  }
}
