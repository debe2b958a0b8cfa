package dev.pitwall.observe.ranks;

import dev.pitwall.observe.IdleCause;

/// What a rank's device does at a moment, or what keeps it from doing anything.
public enum Activity {
  /// Kernels run that are no collectives, or follow one another at the device's own pace.
  COMPUTE("compute"),
  /// A collective runs and no other kernel.
  COMMUNICATION("communication"),
  /// Memory is copied or set and no kernel runs, or the host waits for a copy from pageable memory.
  COPY("copy"),
  /// The host has not launched the next work, or waits for the device first.
  HOST("host"),
  /// The host waits for its next batch.
  INPUT("input"),
  /// None of these.
  UNEXPLAINED("unexplained");

  private final String label;

  Activity(String label) {
    this.label = label;
  }

  public String label() {
    return label;
  }

  static Activity of(IdleCause cause) {
    return switch (cause) {
      case HOST, HOST_SYNC, ALLOCATOR -> HOST;
      case INPUT -> INPUT;
      case PAGEABLE_COPY -> COPY;
      case KERNEL -> COMPUTE;
      case COMMUNICATION -> COMMUNICATION;
      case UNEXPLAINED -> UNEXPLAINED;
    };
  }
}
