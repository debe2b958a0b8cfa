package dev.pitwall.report;

import dev.pitwall.estimate.Estimate;
import org.jspecify.annotations.Nullable;

/// What a step mostly waits for, in one word.
final class StepBound {
  private static final double MOSTLY = 0.70;
  private static final double A_GOOD_PART = 0.20;

  private StepBound() {}

  /// `gpu` where the device computes for most of the step (of the unprofiled step where that was
  /// estimated: the recorder slows the host, not the device), or where nothing else takes a good
  /// part of it; else the largest other part.
  static String of(
      Report.@Nullable DeviceBreakdown device,
      Report.HostBreakdown host,
      @Nullable Estimate estimatedStep) {
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
