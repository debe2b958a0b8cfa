package dev.pitwall.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.pitwall.SharedData;
import dev.pitwall.finding.Finding;
import dev.pitwall.report.comparison.ComparisonText;
import dev.pitwall.report.comparison.ReportDifference;
import dev.pitwall.study.RunComparison;
import org.junit.jupiter.api.Test;

class ReportDifferenceTest {
  @Test
  void theFindingThatWasFixedIsNamedBeforeAnyTable() {
    OpenedRun item = run("gpt2/item");
    OpenedRun base = run("gpt2/base");
    ReportDifference difference = ReportDifference.between(item.report(), base.report());
    assertThat(difference.gone()).extracting(Finding::id).contains("host-sync");
    TextPage page = new TextPage(80, false);
    ComparisonText.write(
        RunComparison.of(item.baseline(), base.baseline()),
        difference,
        "a/very/long/folder/in/which/all/the/recordings/lie/item.trace.json.gz",
        "a/very/long/folder/in/which/all/the/recordings/lie/base.trace.json.gz",
        page);
    assertThat(page.toString())
        .contains("item.trace.json.gz", "base.trace.json.gz")
        .containsSubsequence("No longer found: ", "host-sync", "idle: host sync", "critical path");
  }

  @Test
  void theRowsAreThoseOfTheReports() {
    OpenedRun alone = run("resnet/loader_w0");
    OpenedRun workers = run("resnet/loader_w2");
    ReportDifference difference = ReportDifference.between(alone.report(), workers.report());
    assertThat(difference.breakdown())
        .filteredOn(row -> row.name().equals("idle: input wait"))
        .singleElement()
        .satisfies(row -> assertThat(row.beforeMillis()).isCloseTo(242.6, within(0.1)));
  }

  private static OpenedRun run(String name) {
    return OpenedRun.read(SharedData.require("h200/" + name + ".trace.json.gz"));
  }
}
