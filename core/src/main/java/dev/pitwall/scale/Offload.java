package dev.pitwall.scale;

/// What lives outside the GPU between uses.
public enum Offload {
  NONE("none"),
  OPTIMIZER_CPU("optimizer on CPU"),
  ALL_CPU("parameters and optimizer on CPU"),
  OPTIMIZER_NVME("optimizer on NVMe"),
  ALL_NVME("parameters and optimizer on NVMe");

  private final String text;

  Offload(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }

  public boolean offloadsParameters() {
    return this == ALL_CPU || this == ALL_NVME;
  }

  public boolean any() {
    return this != NONE;
  }

  public boolean usesNvme() {
    return this == OPTIMIZER_NVME || this == ALL_NVME;
  }
}
