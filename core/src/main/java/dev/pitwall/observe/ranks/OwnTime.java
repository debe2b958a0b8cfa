package dev.pitwall.observe.ranks;

import dev.pitwall.observe.DeviceTime;
import dev.pitwall.observe.Observation;

/// The part of a rank's step that it does not spend waiting in collectives. The rank with most of
/// it is the one that the others wait for.
public final class OwnTime {
  private OwnTime() {}

  /// Milliseconds of a mean step; of the median step as the CPU saw it where no device work was
  /// recorded.
  public static double millis(Observation rank) {
    DeviceTime device = rank.deviceTime();
    return device == null
        ? rank.stepMillis()
        : device.millisPerStep(device.windows().totalNanos() - device.exposedCommunicationNanos());
  }
}
