package dev.pitwall.observe.rule;

/// Sentences for what a recording lacks, so that the report says each in one way.
public final class Needs {
  static final String DEVICE_WORK =
      "kernels in the trace: record with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]";
  static final String COMPLETE_DEVICE_WORK =
      "a trace without dropped kernels: record fewer steps, or one profiler at a time";
  static final String STEPS =
      "steps: call prof.step() each iteration, or name a range with --step-name";
  static final String MEMORY = "allocations: record with profile_memory=True";
  static final String COMPILE_LOG = "the log of torch.compile: run with TORCH_TRACE=DIR";
  static final String LAUNCH_SHAPES = "registers and block sizes of kernels, and a known GPU";
  public static final String MORE_RANKS = "the traces of at least two ranks in one folder";

  private Needs() {}
}
