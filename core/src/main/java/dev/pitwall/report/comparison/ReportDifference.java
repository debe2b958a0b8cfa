package dev.pitwall.report.comparison;

import dev.pitwall.finding.Finding;
import dev.pitwall.report.Report;
import dev.pitwall.study.RunComparison.Change;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What two reports say differently: the rows of the device's breakdown as `analyze` prints them,
/// and the findings that only one of them has.
///
/// @param breakdown milliseconds of the mean step as recorded; empty where a run has no device work
/// @param gone findings and opportunities of the first run that the second does not have
/// @param come those that only the second has
public record ReportDifference(List<Change> breakdown, List<Finding> gone, List<Finding> come) {
  public ReportDifference {
    breakdown = List.copyOf(breakdown);
    gone = List.copyOf(gone);
    come = List.copyOf(come);
  }

  public static ReportDifference between(Report before, Report after) {
    return new ReportDifference(
        breakdown(before.device(), after.device()), onlyIn(before, after), onlyIn(after, before));
  }

  private static List<Change> breakdown(
      Report.@Nullable DeviceBreakdown before, Report.@Nullable DeviceBreakdown after) {
    List<Change> rows = new ArrayList<>();
    if (before == null || after == null) {
      return rows;
    }
    rows.add(new Change("compute", before.compute(), after.compute()));
    rows.add(
        new Change(
            "exposed communication", before.exposedCommunication(), after.exposedCommunication()));
    rows.add(new Change("copies", before.memcpy(), after.memcpy()));
    rows.add(new Change("idle: host not launching", before.idleHost(), after.idleHost()));
    rows.add(new Change("idle: host sync", before.idleHostSync(), after.idleHostSync()));
    rows.add(new Change("idle: input wait", before.idleInput(), after.idleInput()));
    rows.add(new Change("idle: kernel to kernel", before.idleKernel(), after.idleKernel()));
    rows.add(
        new Change("idle: communication", before.idleCommunication(), after.idleCommunication()));
    rows.add(new Change("idle: unexplained", before.idleUnexplained(), after.idleUnexplained()));
    rows.removeIf(row -> row.beforeMillis() == 0 && row.afterMillis() == 0);
    return rows;
  }

  private static List<Finding> onlyIn(Report one, Report other) {
    Set<String> known = all(other).map(Finding::id).collect(Collectors.toSet());
    return all(one).filter(finding -> !known.contains(finding.id())).toList();
  }

  private static Stream<Finding> all(Report report) {
    return Stream.concat(report.findings().stream(), report.opportunities().stream());
  }
}
