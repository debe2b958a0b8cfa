package dev.pitwall.trace.pattern;

/// What a kernel computes, told from its name (`kernel_classes.csv`).
public enum KernelClass {
  MATMUL,
  CONVOLUTION,
  ATTENTION,
  RECURRENT,
  NORMALIZATION,
  SOFTMAX,
  LOSS,
  INDEXING,
  POOLING,
  RANDOM,
  REDUCTION,
  SORT_SCAN,
  POINTWISE,
  COPY,
  FILL,
  LAYOUT_CONVERSION,
  OPTIMIZER,
  COMMUNICATION,
  OTHER;

  /// The word in reports: `layout conversion`.
  public String label() {
    return name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
  }
}
