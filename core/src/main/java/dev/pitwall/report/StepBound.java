package dev.pitwall.report;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Finding;
import dev.pitwall.finding.Severity;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a step mostly waits for, in one word.
final class StepBound {
  private static final double MOSTLY = 0.70;
  private static final double A_GOOD_PART = 0.20;

  /// What the step waits for where the first finding is one of these.
  private static final Map<String, String> WAIT_OF_FINDING =
      Map.of(
          "launch-bound", "host",
          "host-sync", "host",
          "allocator-thrash", "host",
          "input-bound", "input",
          "straggler", "communication",
          "exposed-communication", "communication",
          "small-collectives", "communication");

  private StepBound() {}

  /// `gpu` where the device computes for most of the step (of the unprofiled step where that was
  /// estimated: the recorder slows the host, not the device), or where nothing else takes a good
  /// part of it; else the largest other part. A first finding that is not minor comes before that:
  /// it is what the verdict says.
  static String of(
      Report.@Nullable DeviceBreakdown device,
      Report.HostBreakdown host,
      @Nullable Estimate estimatedStep,
      List<Finding> findings) {
    if (!findings.isEmpty() && findings.getFirst().severity() != Severity.LOW) {
      String named = WAIT_OF_FINDING.get(findings.getFirst().id());
      if (named != null && device != null) {
        return named;
      }
    }
    if (device == null) {
      return host.input() > host.operators() + host.python() ? "input" : "host";
    }
    double recorded = device.step();
    double step = estimatedStep == null ? recorded : Math.min(recorded, estimatedStep.value());
    if (recorded <= 0) {
      return "unknown";
    }
    if (device.compute() >= MOSTLY * step) {
      return "gpu";
    }
    double communication = device.exposedCommunication() + device.idleCommunication();
    double late = device.idleHost() + device.idleHostSync();
    double largest =
        Math.max(
            Math.max(device.idleInput(), communication), Math.max(late, device.idleUnexplained()));
    if (largest < A_GOOD_PART * recorded) {
      return "gpu";
    }
    if (largest == device.idleInput()) {
      return "input";
    }
    if (largest == communication) {
      return "communication";
    }
    return largest == late ? "host" : "unknown";
  }
}
