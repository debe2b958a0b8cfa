package dev.pitwall.scale;

/// How the replicas of a model share its parameters, gradients and optimizer state.
public enum Sharding {
  /// One GPU, or replicas that this program does not synchronize.
  NONE("single GPU"),
  DDP("DDP"),
  ZERO1("ZeRO-1"),
  ZERO2("ZeRO-2"),
  ZERO3("ZeRO-3"),
  FSDP1("FSDP1"),
  FSDP2("FSDP2");

  private final String text;

  Sharding(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }

  /// Whether parameters are gathered layer by layer.
  public boolean shardsParameters() {
    return this == ZERO3 || this == FSDP1 || this == FSDP2;
  }

  /// Whether gradients are kept as shards.
  public boolean shardsGradients() {
    return this == ZERO2 || shardsParameters();
  }

  /// Whether optimizer state is kept as shards.
  public boolean shardsOptimizer() {
    return this == ZERO1 || shardsGradients();
  }
}
