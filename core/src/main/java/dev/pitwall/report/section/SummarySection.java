package dev.pitwall.report.section;

import dev.pitwall.observe.summary.SummaryTable;
import dev.pitwall.report.section.Section.Table;
import dev.pitwall.trace.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The tables of `nsys stats` for a recording of Nsight Systems.
public final class SummarySection {
  private static final int ROWS = 10;

  private SummarySection() {}

  public static Section of(Trace trace) {
    List<Table> tables = new ArrayList<>();
    for (SummaryTable.Kind kind : SummaryTable.Kind.values()) {
      SummaryTable summary = SummaryTable.of(trace, kind);
      List<List<String>> rows = new ArrayList<>();
      for (SummaryTable.Row row : summary.rows()) {
        if (rows.size() == ROWS) {
          break;
        }
        rows.add(
            List.of(
                row.name(),
                String.format(Locale.ROOT, "%.1f %%", 100 * row.share()),
                String.format(Locale.ROOT, "%,d", row.totalNanos()),
                Integer.toString(row.instances()),
                String.format(Locale.ROOT, "%,.1f", row.averageNanos()),
                String.format(Locale.ROOT, "%,.1f", row.medianNanos()),
                String.format(Locale.ROOT, "%,d", row.leastNanos()),
                String.format(Locale.ROOT, "%,d", row.mostNanos()),
                String.format(Locale.ROOT, "%,.1f", row.standardDeviationNanos())));
      }
      if (!rows.isEmpty()) {
        tables.add(
            new Table(
                kind.reportName(),
                List.of(
                    "Name",
                    "Time",
                    "Total ns",
                    "Instances",
                    "Avg ns",
                    "Med ns",
                    "Min ns",
                    "Max ns",
                    "StdDev ns"),
                rows));
      }
    }
    return new Section(
        "nsight-stats",
        "As nsys stats counts",
        "These tables cover the whole recording, not its steps, by the definitions of nsys stats.",
        tables,
        List.of());
  }
}
