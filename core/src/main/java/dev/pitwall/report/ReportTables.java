package dev.pitwall.report;

import dev.pitwall.observe.CollectiveStatistics;
import dev.pitwall.observe.KernelStatistics;
import dev.pitwall.observe.OperatorStatistics;
import dev.pitwall.observe.RangeStatistics;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The tables of a report for a terminal: ranks, kernels, operators, annotations, collectives.
final class ReportTables {
  private static final int ROWS = 10;

  /// A table and its heading; an empty heading continues the one before.
  record Titled(String title, TextTable table) {}

  private final Report report;
  private final int steps;

  private ReportTables(Report report) {
    this.report = report;
    this.steps = Math.max(1, report.steps().count());
  }

  /// Of more ranks, those that the others wait for are of interest.
  private static final int MOST_RANKS = 16;

  /// The tables that have rows, in the order of the report.
  static List<Titled> of(Report report) {
    ReportTables tables = new ReportTables(report);
    List<Titled> titled = new ArrayList<>();
    if (report.ranks().size() > 1) {
      titled.add(
          new Titled(
              report.ranks().size() <= MOST_RANKS
                  ? "Ranks"
                  : "Ranks, the " + MOST_RANKS + " with most work of their own",
              tables.ranks()));
    }
    if (!report.kernels().isEmpty()) {
      titled.add(new Titled("Kernels", tables.kinds()));
      titled.add(new Titled("", tables.kernels()));
    }
    if (!report.operators().isEmpty()) {
      titled.add(new Titled("Operators", tables.operators()));
    }
    if (!report.ranges().isEmpty()) {
      titled.add(new Titled("Annotations and modules", tables.ranges()));
    }
    if (!report.collectives().isEmpty()) {
      titled.add(new Titled("Communication", tables.collectives()));
    }
    return titled;
  }

  private TextTable ranks() {
    if (report.device() == null) {
      TextTable steps = TextTable.ofFigures("rank", "step ms");
      report.ranks().forEach(rank -> steps.row(name(rank), Quantity.number(rank.stepMillis())));
      return steps;
    }
    TextTable table =
        TextTable.ofFigures("rank", "step ms", "compute", "exposed comm.", "idle", "own work");
    List<Report.RankTimes> shown =
        report.ranks().size() <= MOST_RANKS
            ? report.ranks()
            : report.ranks().stream()
                .sorted(Comparator.comparingDouble(Report.RankTimes::ownMillis).reversed())
                .limit(MOST_RANKS)
                .toList();
    for (Report.RankTimes rank : shown) {
      table.row(
          name(rank),
          Quantity.number(rank.stepMillis()),
          Quantity.number(rank.computeMillis()),
          Quantity.number(rank.exposedCommunicationMillis()),
          Quantity.number(rank.idleMillis()),
          Quantity.number(rank.ownMillis()));
    }
    return table;
  }

  private static String name(Report.RankTimes rank) {
    return rank.rank() < 0 ? "?" : String.valueOf(rank.rank());
  }

  private TextTable kinds() {
    double all = allKernelNanos();
    Map<String, Double> byKind = new LinkedHashMap<>();
    for (KernelStatistics kernel : report.kernels()) {
      byKind.merge(kernel.kind(), (double) kernel.totalNanos(), Double::sum);
    }
    TextTable table = TextTable.ofFigures("GPU time by kind", "ms/step", "share");
    byKind.entrySet().stream()
        .sorted((a, b) -> Double.compare(b.getValue(), a.getValue()))
        .limit(ROWS)
        .forEach(
            entry ->
                table.row(
                    entry.getKey(),
                    Quantity.number(entry.getValue() / 1e6 / steps),
                    Quantity.percent(entry.getValue() / all)));
    return table;
  }

  private TextTable kernels() {
    double all = allKernelNanos();
    TextTable table =
        TextTable.ofFigures("kernel", "per step", "ms/step", "share", "mean us", "occ.");
    for (KernelStatistics kernel : firstOf(report.kernels())) {
      table.row(
          PlainText.kernelName(kernel.name()),
          perStep(kernel.count()),
          Quantity.number(kernel.totalNanos() / 1e6 / steps),
          Quantity.percent(kernel.totalNanos() / all),
          Quantity.number(kernel.totalNanos() / 1e3 / kernel.count()),
          Double.isNaN(kernel.occupancy()) ? "" : Quantity.percent(kernel.occupancy()));
    }
    return table;
  }

  private double allKernelNanos() {
    return report.kernels().stream().mapToDouble(KernelStatistics::totalNanos).sum();
  }

  private TextTable operators() {
    TextTable table = callTable("operator", "CPU self ms");
    for (OperatorStatistics operator : firstOf(report.operators())) {
      callRow(
          table,
          operator.name(),
          operator.calls(),
          operator.deviceNanos(),
          operator.selfNanos(),
          operator.kernels());
    }
    return table;
  }

  private TextTable ranges() {
    TextTable table = callTable("annotation or module", "CPU ms");
    for (RangeStatistics range : firstOf(report.ranges())) {
      callRow(
          table,
          range.name(),
          range.calls(),
          range.deviceNanos(),
          range.hostNanos(),
          range.kernels());
    }
    return table;
  }

  /// Without the columns of the device where none was recorded.
  private TextTable callTable(String name, String hostTime) {
    return report.device() == null
        ? TextTable.ofFigures(name, "calls", hostTime)
        : TextTable.ofFigures(name, "calls", "GPU ms/step", hostTime, "kernels");
  }

  private void callRow(
      TextTable table, String name, int calls, long deviceNanos, long hostNanos, int kernels) {
    String device = Quantity.number(deviceNanos / 1e6 / steps);
    String host = Quantity.number(hostNanos / 1e6 / steps);
    if (report.device() == null) {
      table.row(name, perStep(calls), host);
    } else {
      table.row(name, perStep(calls), device, host, perStep(kernels));
    }
  }

  private TextTable collectives() {
    TextTable table =
        TextTable.ofFigures("collective", "group", "ranks", "per step", "ms/step", "bytes/step");
    for (CollectiveStatistics collective : firstOf(report.collectives())) {
      table.row(
          PlainText.kernelName(collective.name()),
          PlainText.printable(collective.processGroup()),
          collective.groupSize() < 0 ? "" : String.valueOf(collective.groupSize()),
          perStep(collective.count()),
          Quantity.number(collective.totalNanos() / 1e6 / steps),
          collective.bytes() < 0 ? "" : Quantity.bytes((double) collective.bytes() / steps));
    }
    return table;
  }

  private String perStep(int count) {
    double each = (double) count / steps;
    return each == Math.rint(each) ? Quantity.count((long) each) : Quantity.number(each);
  }

  private static <T> List<T> firstOf(List<T> rows) {
    return rows.subList(0, Math.min(ROWS, rows.size()));
  }
}
