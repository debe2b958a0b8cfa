package dev.pitwall.observe.rule;

import dev.pitwall.observe.RecordingQuality;

/// Sentences for what a recording lacks, so that the report says each in one way.
public final class Needs {
  static final String DEVICE_WORK =
      "kernels in the trace: record with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]";
  private static final String COMPLETE_DEVICE_WORK =
      "a trace without dropped kernels: record fewer steps, or one profiler at a time";
  private static final String ONE_CLOCK =
      "host and device on one clock: record again, and leave the times as the profiler wrote them";
  private static final String LAUNCHES =
      "the launches of its kernels: record with activities=[ProfilerActivity.CPU,"
          + " ProfilerActivity.CUDA], and filter no events out";
  static final String STEPS =
      "steps: call prof.step() each iteration, or name a range with --step-name";
  static final String MEMORY = "allocations: record with profile_memory=True";
  static final String COMPILE_LOG =
      "the log of torch.compile: run with TORCH_TRACE=DIR, then `pitwall compile DIR TRACE`";
  static final String LAUNCH_SHAPES = "registers and block sizes of kernels, and a known GPU";
  public static final String MORE_RANKS = "the traces of at least two ranks in one folder";

  private Needs() {}

  /// What a recording needs whose idle times cannot be believed.
  static String credibleIdle(RecordingQuality quality) {
    return switch (quality.doubt()) {
      case CLOCKS -> ONE_CLOCK;
      case LAUNCHES -> LAUNCHES;
      default -> COMPLETE_DEVICE_WORK;
    };
  }
}
