package dev.pitwall.hardware;

/// One GPU as its vendor publishes it. Rates are dense and in operations or bytes per second, sizes
/// in bytes, links in one direction; a rate that the part lacks is 0.
///
/// @param architecture compute capability (`9.0`) or the vendor's own name (`gfx942`)
/// @param reachableBf16Flops the best matrix product anybody measured, or 0 where nobody published
/// @param scaleUpBytesPerSecond what one GPU can send to its neighbours over NVLink or xGMI
/// @param source where the numbers come from
public record GpuSpec(
    String name,
    String vendor,
    String architecture,
    int multiprocessors,
    double fp32Flops,
    double tf32Flops,
    double fp16Flops,
    double bf16Flops,
    double fp8Flops,
    double fp4Flops,
    double memoryBytes,
    double memoryBytesPerSecond,
    double l2Bytes,
    double scaleUpBytesPerSecond,
    double pcieBytesPerSecond,
    double reachableBf16Flops,
    double reachableFp8Flops,
    String source) {

  /// Share of the data sheet that the best measured bf16 product reaches on parts nobody measured:
  /// the median of the measured NVIDIA parts (mamf.csv: 0.73 to 0.87).
  private static final double TYPICAL_REACH = 0.80;

  /// Dense peak of the data sheet. A format that the part lacks falls back to the next wider one.
  public double peakFlops(Precision precision) {
    return switch (precision) {
      case FP4 -> fp4Flops > 0 ? fp4Flops : peakFlops(Precision.FP8);
      case FP8 -> fp8Flops > 0 ? fp8Flops : peakFlops(Precision.BF16);
      case BF16 -> bf16Flops > 0 ? bf16Flops : fp16Flops;
      case FP16 -> fp16Flops > 0 ? fp16Flops : fp32Flops;
      case TF32 -> tf32Flops > 0 ? tf32Flops : fp32Flops;
      case FP32 -> fp32Flops;
    };
  }

  /// The rate that the best matrix product reaches: measured where somebody did, else a typical
  /// share of the peak.
  public double reachableFlops(Precision precision) {
    double peak = peakFlops(precision);
    double bf16Share =
        reachableBf16Flops > 0 && bf16Flops > 0 ? reachableBf16Flops / bf16Flops : TYPICAL_REACH;
    return switch (precision) {
      case FP4 -> fp4Flops > 0 ? peak * fp8Share(bf16Share) : reachableFlops(Precision.FP8);
      case FP8 -> fp8Flops > 0 ? peak * fp8Share(bf16Share) : reachableFlops(Precision.BF16);
      default -> peak * bf16Share;
    };
  }

  private double fp8Share(double otherwise) {
    return reachableFp8Flops > 0 && fp8Flops > 0 ? reachableFp8Flops / fp8Flops : otherwise;
  }
}
