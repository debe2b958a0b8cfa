package dev.pitwall.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.SharedData;
import dev.pitwall.finding.Finding;
import dev.pitwall.finding.Severity;
import dev.pitwall.table.DataTable;
import dev.pitwall.trace.TraceReaders;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The programs with one planted fault each, and the clean ones.
class ExpectedFindingsTest {
  private static final int LEAST_FOUND = 22;

  @Test
  void thePlantedFaultComesFirstAndCleanProgramsHaveNoHighFinding() throws IOException {
    DataTable expected = DataTable.read(SharedData.require("h200/EXPECTED.tsv"));
    List<String> misses = new ArrayList<>();
    for (int row = 0; row < expected.rows(); row++) {
      String name = expected.text(row, "trace");
      String wanted = expected.text(row, "expected");
      Path file = SharedData.require("h200/" + name + ".trace.json.gz");
      List<Finding> findings =
          RunAnalysis.analyze(file, TraceReaders.read(file), null).judgement().findings();
      boolean clean = wanted.equals("-");
      boolean found =
          clean
              ? findings.stream().noneMatch(one -> one.severity() == Severity.HIGH)
              : !findings.isEmpty() && findings.getFirst().id().equals(wanted);
      if (clean) {
        assertThat(found).as("%s is clean, but: %s", name, findings).isTrue();
      }
      if (!found) {
        misses.add(name + " wants " + wanted + ", got " + ids(findings));
      }
    }
    assertThat(expected.rows() - misses.size())
        .as("misses: %s", misses)
        .isGreaterThanOrEqualTo(LEAST_FOUND);
  }

  private static List<String> ids(List<Finding> findings) {
    return findings.stream().map(Finding::id).toList();
  }
}
