package dev.pitwall.station.tile;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.pattern.KernelClass;
import dev.pitwall.trace.pattern.KernelClassifier;

/// How a slice is painted: one colour, or a texture where nothing useful runs. The ordinal is the
/// byte in a tile, so the order is a contract with the page (`palette.js`).
public enum MarkKind {
  OPERATOR,
  ANNOTATION,
  PYTHON,
  API_CALL,
  /// The host waits for the device; drawn hatched.
  WAIT,
  MATMUL,
  ATTENTION,
  /// Normalizations, softmax, losses and other reductions.
  REDUCTION,
  ELEMENTWISE,
  COLLECTIVE,
  COPY,
  OVERHEAD,
  OTHER;

  /// The kind of a slice by its category and name.
  public static MarkKind of(Category category, String name) {
    return switch (category) {
      case CPU_OP -> OPERATOR;
      case USER_ANNOTATION, GPU_USER_ANNOTATION -> ANNOTATION;
      case PYTHON_FUNCTION -> PYTHON;
      case RUNTIME, DRIVER -> name.contains("Synchronize") ? WAIT : API_CALL;
      case DEVICE_SYNC -> WAIT;
      case KERNEL -> ofKernel(KernelClassifier.classOf(name));
      case MEMCPY, MEMSET -> COPY;
      case OVERHEAD -> OVERHEAD;
      case OS_RUNTIME, OTHER -> OTHER;
    };
  }

  private static MarkKind ofKernel(KernelClass kernel) {
    return switch (kernel) {
      case MATMUL, CONVOLUTION, RECURRENT -> MATMUL;
      case ATTENTION -> ATTENTION;
      case NORMALIZATION, SOFTMAX, LOSS, REDUCTION, SORT_SCAN -> REDUCTION;
      case POINTWISE, INDEXING, POOLING, RANDOM, FILL, LAYOUT_CONVERSION, OPTIMIZER -> ELEMENTWISE;
      case COPY -> COPY;
      case COMMUNICATION -> COLLECTIVE;
      case OTHER -> OTHER;
    };
  }
}
