package dev.pitwall.pass.compile;

import java.util.Arrays;
import java.util.Optional;

/// The modes of `torch.compile`.
public enum CompileMode {
  DEFAULT("default"),
  /// Also replays each region as a CUDA graph.
  REDUCE_OVERHEAD("reduce-overhead"),
  /// Also chooses among kernel templates for products, which can take a loop into the product.
  MAX_AUTOTUNE("max-autotune");

  private final String spelling;

  CompileMode(String spelling) {
    this.spelling = spelling;
  }

  /// As PyTorch spells it.
  public String spelling() {
    return spelling;
  }

  public boolean usesCudaGraphs() {
    return this != DEFAULT;
  }

  public static Optional<CompileMode> named(String spelling) {
    return Arrays.stream(values()).filter(mode -> mode.spelling.equals(spelling)).findFirst();
  }
}
