package dev.pitwall.station.tile;

import dev.pitwall.trace.Category;
import java.util.Locale;

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
  NORMALIZATION,
  ELEMENTWISE,
  COLLECTIVE,
  COPY,
  OVERHEAD,
  OTHER;

  private static final String[] MATMUL_MARKS = {
    "gemm",
    "nvjet",
    "cutlass",
    "cublas",
    "wgmma",
    "xmma",
    "matmul",
    "convolve",
    "conv2d",
    "fprop",
    "wgrad",
    "dgrad",
    "implicit_con"
  };
  private static final String[] ATTENTION_MARKS = {"flash", "fmha", "attention", "sdpa"};
  private static final String[] NORMALIZATION_MARKS = {
    "norm", "softmax", "reduce", "welford", "bn_fw", "bn_bw", "argmax", "scan"
  };
  private static final String[] COLLECTIVE_MARKS = {"nccl", "rccl", "msccl", "oneccl"};

  /// The kind of a slice by its category and name.
  public static MarkKind of(Category category, String name) {
    return switch (category) {
      case CPU_OP -> OPERATOR;
      case USER_ANNOTATION, GPU_USER_ANNOTATION -> ANNOTATION;
      case PYTHON_FUNCTION -> PYTHON;
      case RUNTIME, DRIVER -> name.contains("Synchronize") ? WAIT : API_CALL;
      case DEVICE_SYNC -> WAIT;
      case KERNEL -> ofKernel(name.toLowerCase(Locale.ROOT));
      case MEMCPY, MEMSET -> COPY;
      case OVERHEAD -> OVERHEAD;
      case OS_RUNTIME, OTHER -> OTHER;
    };
  }

  private static MarkKind ofKernel(String lowerCaseName) {
    if (containsAny(lowerCaseName, COLLECTIVE_MARKS)) {
      return COLLECTIVE;
    }
    if (containsAny(lowerCaseName, ATTENTION_MARKS)) {
      return ATTENTION;
    }
    if (containsAny(lowerCaseName, MATMUL_MARKS)) {
      return MATMUL;
    }
    return containsAny(lowerCaseName, NORMALIZATION_MARKS) ? NORMALIZATION : ELEMENTWISE;
  }

  private static boolean containsAny(String text, String[] marks) {
    for (String mark : marks) {
      if (text.contains(mark)) {
        return true;
      }
    }
    return false;
  }
}
