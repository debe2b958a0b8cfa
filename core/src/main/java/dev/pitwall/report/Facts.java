package dev.pitwall.report;

import dev.pitwall.trace.Device;
import java.util.ArrayList;
import java.util.List;

/// What ran, in a few words each: device, PyTorch, ranks, steps, events.
final class Facts {
  /// Mean and median closer than this are printed alike.
  private static final double SAME_STEP = 0.005;

  /// Said once below the gains.
  static final String OVERLAP =
      "Gains overlap: what several changes save together is not their sum; `pitwall whatif`"
          + " simulates them together.";

  private Facts() {}

  static List<String> of(Report report) {
    if (report.shownRank() < 0) {
      return report.inputs().stream().map(Report.Input::kind).distinct().toList();
    }
    Report.Input shown = report.inputs().get(report.shownRank());
    List<String> facts = new ArrayList<>();
    if (!shown.devices().isEmpty()) {
      facts.add(deviceName(shown.devices()));
    }
    if (!shown.torch().isEmpty()) {
      facts.add("PyTorch " + PlainText.printable(shown.torch()));
    }
    facts.add(
        report.ranks().size() > 1
            ? report.ranks().size() + " ranks"
            : shown.rank() < 0 ? "one process" : "rank " + shown.rank());
    facts.add(steps(report.steps()));
    long events = report.inputs().stream().mapToLong(Report.Input::events).sum();
    facts.add(Quantity.count(events) + " events");
    return facts;
  }

  /// Which step the rows of the breakdowns add up to: nothing more to say where the mean and the
  /// median printed above are the same.
  static String stepOfBreakdowns(Report report) {
    Report.StepTimes times = report.steps();
    if (times.count() == 0) {
      return "the recording";
    }
    if (Math.abs(times.meanMillis() - times.medianMillis())
        < SAME_STEP * Math.max(times.meanMillis(), times.medianMillis())) {
      return "a step";
    }
    return "the mean step of "
        + Quantity.millis(times.meanMillis())
        + (report.ranks().size() > 1 ? " over all ranks" : "");
  }

  /// Which step the rows about the CPU add up to: the time between the steps' marks, which need not
  /// be that in which the device works.
  static String hostStep(Report report) {
    return "its mean step of " + Quantity.millis(report.host().step());
  }

  /// How the rows about the CPU count where several threads launch.
  static String hostThreads(Report.HostBreakdown host) {
    return host.threads() + " threads launch; a moment counts once, for the one that works then";
  }

  private static String deviceName(List<Device> devices) {
    return PlainText.printable(devices.getFirst().name())
        + (devices.size() > 1 ? " (" + devices.size() + " visible)" : "");
  }

  private static String steps(Report.StepTimes steps) {
    int count = steps.count();
    if (count == 0 || steps.source().equals("none")) {
      return "no steps found: times are of the whole recording";
    }
    String named =
        switch (steps.source()) {
          case "ProfilerStep" -> "";
          case "inferred" -> " (inferred from repetition)";
          default -> " (" + PlainText.printable(steps.source()) + ")";
        };
    return count + (count == 1 ? " step" : " steps") + named;
  }
}
