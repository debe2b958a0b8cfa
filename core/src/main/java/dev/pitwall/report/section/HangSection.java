package dev.pitwall.report.section;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Finding;
import dev.pitwall.finding.Fix;
import dev.pitwall.finding.Gain;
import dev.pitwall.finding.Severity;
import dev.pitwall.observe.flight.Hang;
import dev.pitwall.report.section.Section.Table;
import dev.pitwall.trace.flight.FlightDump;
import java.util.ArrayList;
import java.util.List;

/// What the flight recorder dumps of a job say: where a hang began and who waits for whom.
public final class HangSection {
  /// Of the section, for machines.
  public static final String ID = "flight-recorder";

  private static final int ROWS = 20;
  private static final String LINK =
      "https://docs.pytorch.org/tutorials/unstable/flight_recorder_tutorial.html";

  private HangSection() {}

  public static Section of(List<FlightDump> dumps) {
    Hang hang = Hang.of(dumps);
    List<List<String>> waits = new ArrayList<>();
    for (Hang.Wait wait : hang.waits()) {
      if (waits.size() < ROWS) {
        waits.add(
            List.of(
                wait.operation().label(wait.name()),
                Hang.rankList(wait.waiting()),
                Hang.rankList(wait.missing())));
      }
    }
    List<List<String>> mismatches = new ArrayList<>();
    for (Hang.Mismatch mismatch : hang.mismatches()) {
      mismatch
          .byRank()
          .forEach(
              (rank, called) ->
                  mismatches.add(
                      List.of(
                          called,
                          "rank " + rank,
                          mismatch.operation().groupDescription()
                              + " #"
                              + mismatch.operation().sequence())));
    }
    List<Table> tables = new ArrayList<>();
    if (!mismatches.isEmpty()) {
      tables.add(
          new Table("Collectives called differently", List.of("Called", "By", "In"), mismatches));
    }
    if (!waits.isEmpty()) {
      tables.add(
          new Table(
              "Who waits for whom", List.of("Collective", "Waiting", "Never entered it"), waits));
    }
    List<Finding> findings = new ArrayList<>();
    if (hang.found()) {
      findings.add(
          new Finding(
              hang.mismatches().isEmpty() ? "collective-missing" : "collective-mismatch",
              Severity.HIGH,
              hang.sentence(),
              "A collective ends when every rank of its group has entered it with the same"
                  + " operation and sizes. Ranks that wait are not to blame; the one that waits for"
                  + " nobody and never came is.",
              new Fix(
                  "Look at what the named rank ran last: an exception, a branch that depends on its"
                      + " own data, or a process that died.",
                  "TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1",
                  LINK),
              new Gain(Estimate.measured(0), 0),
              List.of()));
    }
    return new Section(
        ID,
        "Flight recorder of " + (dumps.size() == 1 ? "1 rank" : dumps.size() + " ranks"),
        hang.sentence(),
        tables,
        findings);
  }
}
