package dev.pitwall.scale;

/// How DeepSpeed cuts tensors into partitions, in elements.
public final class ZeroPartitions {
  /// `nccl_start_alignment_factor` of `stage_1_and_2.py`: partitions begin at four-byte boundaries
  /// in half precision.
  private static final int ALIGNMENT = 2;

  private ZeroPartitions() {}

  /// Stages 1 and 2 flatten all parameters of a group, pad the buffer to a multiple of twice the
  /// ranks and cut it evenly (`align_dense_tensors`).
  public static long flat(long elements, int ranks) {
    long unit = (long) ALIGNMENT * ranks;
    return (elements + unit - 1) / unit * ALIGNMENT;
  }

  /// Stage 3 cuts each parameter on its own, padded to a multiple of the ranks
  /// (`partition_parameters.py`, `_aligned_size`).
  public static long ofParameter(long elements, int ranks) {
    return (elements + ranks - 1) / ranks;
  }

  /// Whether stage 3 leaves a parameter whole on every rank
  /// (`stage3_param_persistence_threshold`).
  public static boolean isPersistent(long elements, long threshold) {
    return elements <= threshold;
  }
}
