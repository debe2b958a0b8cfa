package dev.pitwall.scale;

/// Which activations are computed again in backward instead of being kept.
public enum Checkpointing {
  NONE("none"),
  /// Attention only (Megatron's selective recompute; with fused attention it costs next to
  /// nothing).
  SELECTIVE("selective"),
  /// Every layer from its input.
  FULL("full");

  private final String text;

  Checkpointing(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }
}
