package dev.pitwall.report.section;

import dev.pitwall.finding.Finding;
import java.util.List;

/// A part of a report that stands on its own.
///
/// @param id a short word for machines, such as `memory-snapshot`
/// @param title what it is about, for people
/// @param sentence what it says, in one sentence
/// @param findings what is wrong, worst first
public record Section(
    String id, String title, String sentence, List<Table> tables, List<Finding> findings) {
  public Section {
    tables = List.copyOf(tables);
    findings = List.copyOf(findings);
  }

  /// A table of texts; the first column is words, the others are figures.
  public record Table(String title, List<String> header, List<List<String>> rows) {
    public Table {
      header = List.copyOf(header);
      rows = List.copyOf(rows);
    }
  }
}
