package dev.pitwall.scale;

/// How DeepSpeed cuts tensors into partitions, in elements.
final class ZeroPartitions {
  /// `nccl_start_alignment_factor` of `stage_1_and_2.py`: partitions begin at four-byte boundaries
  /// in half precision.
  private static final int ALIGNMENT = 2;

  private ZeroPartitions() {}

  /// Stages 1 and 2 flatten all parameters of a group, pad the buffer to a multiple of twice the
  /// ranks and cut it evenly (`align_dense_tensors`).
  static long flat(long elements, int ranks) {
    long unit = (long) ALIGNMENT * ranks;
    return (elements + unit - 1) / unit * ALIGNMENT;
  }

  /// Stage 3 cuts each parameter on its own, padded to a multiple of the ranks
  /// (`partition_parameters.py`, `_aligned_size`).
  static long ofParameter(long elements, int ranks) {
    return (elements + ranks - 1) / ranks;
  }
}
