package dev.pitwall.trace;

/// What kind of activity a slice is, whatever recorder wrote it. Old Kineto names (`Operator`,
/// `Kernel`, `Runtime`), HIP, XPU and MTIA spellings all map here; the recorder's own word is kept
/// in [Slices#categoryNameId].
public enum Category {
  /// A PyTorch operator (`aten::mm`) or autograd node on a CPU thread.
  CPU_OP,
  /// A range the program or PyTorch named on the CPU (`ProfilerStep#3`,
  /// `Optimizer.step#AdamW.step`, NVTX).
  USER_ANNOTATION,
  /// The recorder's projection of a user annotation on a stream; never work of its own.
  GPU_USER_ANNOTATION,
  /// A Python frame.
  PYTHON_FUNCTION,
  /// A runtime API call (`cudaLaunchKernel`, `hipMemcpyAsync`).
  RUNTIME,
  /// A driver API call (`cuLaunchKernelEx`).
  DRIVER,
  KERNEL,
  MEMCPY,
  MEMSET,
  /// A recorded synchronization of the device (`cuda_sync`).
  DEVICE_SYNC,
  /// The recorder's own cost (`Command Buffer Full`).
  OVERHEAD,
  /// Operating system calls (nsys OSRT).
  OS_RUNTIME,
  OTHER;

  private static final Category[] VALUES = values();

  /// The category with this ordinal, for columns that store it as a byte.
  public static Category of(byte ordinal) {
    return VALUES[ordinal];
  }

  /// Work that occupies a stream: kernel, copy or set.
  public boolean isDeviceWork() {
    return this == KERNEL || this == MEMCPY || this == MEMSET;
  }

  /// A call from the host into the runtime or driver.
  public boolean isApiCall() {
    return this == RUNTIME || this == DRIVER;
  }
}
