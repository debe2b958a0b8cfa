package dev.pitwall.graph;

import dev.pitwall.trace.Category;

/// What a node of the execution graph is.
public enum NodeKind {
  /// Time a CPU thread computes: self time of an operator, Python between operators.
  CPU_SEGMENT,
  /// A runtime or driver call that neither launches nor waits (`cudaMalloc`, `cudaEventRecord`).
  API_CALL,
  /// A runtime or driver call that puts work on a stream.
  LAUNCH,
  /// A moment a CPU thread waits: for the device, another thread or the input. Its duration is what
  /// remains after what it waits for is done; the waiting itself is its incoming edges.
  HOST_WAIT,
  KERNEL,
  /// A communication kernel (NCCL, RCCL).
  COLLECTIVE,
  MEMCPY,
  MEMSET;

  private static final NodeKind[] VALUES = values();

  static NodeKind of(byte ordinal) {
    return VALUES[ordinal];
  }

  /// Work that occupies a stream.
  public boolean isDeviceWork() {
    return ordinal() >= KERNEL.ordinal();
  }

  /// The trace's category for a node made by hand.
  Category category() {
    return switch (this) {
      case CPU_SEGMENT, HOST_WAIT -> Category.CPU_OP;
      case API_CALL, LAUNCH -> Category.RUNTIME;
      case KERNEL, COLLECTIVE -> Category.KERNEL;
      case MEMCPY -> Category.MEMCPY;
      case MEMSET -> Category.MEMSET;
    };
  }
}
