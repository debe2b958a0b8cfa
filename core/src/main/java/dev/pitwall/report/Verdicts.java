package dev.pitwall.report;

import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Finding;
import dev.pitwall.finding.Severity;
import dev.pitwall.observe.Doubt;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The report in one sentence, for whoever reads no further.
final class Verdicts {
  private static final double LONGEST_STEP_MILLIS = 3.6e6;

  private Verdicts() {}

  static String sentence(
      RankResult shown,
      Report.StepTimes steps,
      Report.@Nullable DeviceBreakdown device,
      List<Finding> all,
      List<Finding> opportunities) {
    List<Finding> findings = all.stream().filter(one -> !one.gain().isNothing()).toList();
    if (shown.input().events() == 0) {
      return "The trace is empty: nothing was recorded.";
    }
    if (shown.doubt() == Doubt.TIMES) {
      return "The recording's timestamps cannot all be real (see below), so no time in this report"
          + " is to be trusted.";
    }
    if (device == null) {
      return findings.isEmpty()
          ? "No GPU work was recorded, so this report is about the CPU alone."
          : firstFinding(findings);
    }
    String busy = busy(device, shown.estimatedStep());
    if (!shown.idleIsCredible()) {
      return switch (shown.doubt()) {
        case LAUNCHES ->
            String.format(
                Locale.ROOT,
                "No launch was recorded, so no step is known: in the %s of the recording the GPU"
                    + " computes for %s.",
                Quantity.millis(device.step()),
                Quantity.millis(device.compute()));
        case CLOCKS ->
            "The clocks of host and device were not aligned, so idle times below are not to be"
                + " trusted; as recorded, "
                + busy
                + ".";
        default ->
            "The recorder lost GPU work, so idle times below are not to be trusted; as recorded, "
                + busy
                + ".";
      };
    }
    if (!findings.isEmpty() && findings.getFirst().severity() != Severity.LOW) {
      return firstFinding(findings);
    }
    String minor =
        findings.isEmpty()
            ? (all.isEmpty() ? "no rule found a fault" : "no fault was found whose fix saves time")
            : "only minor faults were found, first " + findings.getFirst().id();
    String best =
        opportunities.isEmpty()
            ? ""
            : String.format(
                Locale.ROOT,
                "; the best opportunity is %s (about %s a step)",
                opportunities.getFirst().id(),
                Quantity.millis(opportunities.getFirst().gain().millis().value()));
    return capitalized(boundBy(steps.bound()) + ": " + busy + "; " + minor + best + ".");
  }

  /// How much of the step the device computes, of the unprofiled step where the recorder made it
  /// longer.
  private static String busy(Report.DeviceBreakdown device, @Nullable Estimate estimatedStep) {
    String computes = "the GPU computes for " + Quantity.millis(device.compute()) + " of ";
    if (estimatedStep != null
        && estimatedStep.value() < 0.95 * device.step()
        && estimatedStep.value() >= device.compute()) {
      return computes
          + "the "
          + Quantity.millis(estimatedStep.value())
          + " that a step takes without the profiler";
    }
    return computes + Quantity.millis(device.step()) + " a step";
  }

  private static String firstFinding(List<Finding> findings) {
    Finding first = findings.getFirst();
    String others =
        findings.size() == 1
            ? ""
            : findings.size() == 2
                ? " (and one more finding)"
                : " (and " + (findings.size() - 1) + " more findings)";
    String title = first.title();
    return title.substring(0, title.length() - 1) + saving(first) + others + ".";
  }

  private static String saving(Finding finding) {
    Estimate gain = finding.gain().millis();
    return gain.basis() == Basis.SIMULATED && gain.value() > 0
        ? "; fixing it saves about "
            + Quantity.millis(gain.value())
            + " ("
            + Quantity.percent(finding.gain().fraction())
            + ") of the step without the profiler"
        : "";
  }

  private static String boundBy(String bound) {
    return switch (bound) {
      case "gpu" -> "GPU-bound";
      case "host" -> "host-bound";
      case "input" -> "input-bound";
      case "communication" -> "communication-bound";
      default -> "no clear bound";
    };
  }

  private static String capitalized(String sentence) {
    return sentence.substring(0, 1).toUpperCase(Locale.ROOT) + sentence.substring(1);
  }
}
