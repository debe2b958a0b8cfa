package dev.pitwall.hardware;

/// The number format in which matrix products run.
public enum Precision {
  FP32(4),
  TF32(4),
  FP16(2),
  BF16(2),
  FP8(1),
  FP4(1);

  private final int bytes;

  Precision(int bytes) {
    this.bytes = bytes;
  }

  /// Bytes of one stored value; four-bit formats are counted as one byte with their scales.
  public int bytes() {
    return bytes;
  }
}
