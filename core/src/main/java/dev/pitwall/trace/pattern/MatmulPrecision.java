package dev.pitwall.trace.pattern;

/// What a kernel multiplies in, told from its name (`matmul_precisions.csv`). `FP32` means true
/// single precision without tensor cores; `UNKNOWN` where the name does not say.
public enum MatmulPrecision {
  FP4,
  FP8,
  INT8,
  FP16,
  BF16,
  TF32,
  FP32,
  FP64,
  UNKNOWN
}
