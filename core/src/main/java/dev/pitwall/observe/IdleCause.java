package dev.pitwall.observe;

/// Why a device ran nothing for a while.
public enum IdleCause {
  /// The host had not launched the next work yet: it was busy running Python and operators.
  HOST("host not launching"),
  /// The host was late because it had waited for the device.
  HOST_SYNC("host sync"),
  /// The host was late because it had waited for the next batch.
  INPUT("input wait"),
  /// The host was late because it asked the driver for memory or gave some back.
  ALLOCATOR("device allocator"),
  /// The host was late because a copy from pageable memory had held it.
  PAGEABLE_COPY("pageable copy"),
  /// The next work was launched in time and began a moment after its predecessor.
  KERNEL("kernel to kernel"),
  /// The next work, or the one before, is a collective.
  COMMUNICATION("communication"),
  /// None of these.
  UNEXPLAINED("unexplained");

  private final String label;

  IdleCause(String label) {
    this.label = label;
  }

  public String label() {
    return label;
  }
}
