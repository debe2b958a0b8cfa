package dev.pitwall.hardware;

import dev.pitwall.table.DataTable;
import java.util.HashMap;
import java.util.Map;

/// How long kernels take on a device: rooflines whose efficiency falls with small and shallow work,
/// with the measured shares of `kernel_costs.csv`.
///
/// Passes use *ratios* of these times, after over before, on kernels that were measured, so that
/// what is peculiar to a kernel cancels; absolute values only stand for kernels that did not run.
/// The shares were measured on an H200 and are taken as shares of the data sheet of any other
/// device. All times are nanoseconds.
public final class KernelCosts {
  private static final Map<String, Double> TABLE = read();

  /// Side of the tile in which the tail of a product is counted.
  private static final double TILE = 128;

  /// Memory rate of the device that rates in GB/s were measured on (H200, gpu_specs.csv).
  private static final double MEASURED_MEMORY_BYTES_PER_SECOND = 4.8e12;

  private final GpuSpec gpu;

  public KernelCosts(GpuSpec gpu) {
    this.gpu = gpu;
  }

  public GpuSpec gpu() {
    return gpu;
  }

  /// One number of the cost table, in its own unit.
  public static double constant(String name) {
    Double value = TABLE.get(name);
    if (value == null) {
      throw new IllegalArgumentException("kernel_costs.csv has no row " + name);
    }
    return value;
  }

  /// A matrix product.
  ///
  /// `time = fixed + max(2·b·m·n·k / (peak · share) · (1 + halfDepth/k) · (1 + wave · SMs/tiles),
  /// bytes / bandwidth)`; the second factor is the prologue of a shallow product, the third the
  /// part-filled last wave of tiles.
  public double matmulNanos(MatmulShape shape, Precision precision) {
    return productNanos(shape, shape.elements(), precision);
  }

  /// A convolution computed as a matrix product, which reads its input once instead of once a tap.
  ///
  /// @param elements elements of input, weight and output
  public double convolutionNanos(MatmulShape shape, double elements, Precision precision) {
    return productNanos(shape, elements, precision);
  }

  private double productNanos(MatmulShape shape, double elements, Precision precision) {
    String family = precision == Precision.FP32 ? "matmul_fp32" : "matmul_bf16";
    double share = constant(family + "_share");
    if (shape.oddRows() && precision != Precision.FP32) {
      share = constant(precision == Precision.TF32 ? "matmul_tf32_odd_rows" : family + "_odd_rows");
    } else if (precision == Precision.TF32) {
      share *=
          switch (shape.stridedOperands()) {
            case 0 -> 1.0;
            case 1 -> constant("matmul_tf32_one_strided");
            default -> constant("matmul_tf32_two_strided");
          };
    }
    double tiles =
        Math.max(1, shape.m() / TILE) * Math.max(1, shape.n() / TILE) * Math.max(1, shape.batch());
    double compute =
        shape.flops()
            / (gpu.peakFlops(precision) * share)
            * (1 + constant(family + "_half_depth") / shape.k())
            * (1 + constant(family + "_wave_share") * Math.max(1, gpu.multiprocessors()) / tiles);
    double memory =
        elements
            * precision.bytes()
            / (gpu.memoryBytesPerSecond() * constant("weights_read_share"));
    return constant(family + "_fixed_us") * 1e3 + Math.max(compute, memory) * 1e9;
  }

  /// A pointwise kernel, cast or plain reduction that moves this many bytes.
  public double streamNanos(double bytes) {
    return constant("stream_fixed_us") * 1e3
        + bytes / (gpu.memoryBytesPerSecond() * constant("stream_share")) * 1e9;
  }

  /// Layer norm, softmax and their kin: one block a row, so less of the memory rate.
  public double normalizationNanos(double bytes) {
    return constant("stream_fixed_us") * 1e3
        + bytes / (gpu.memoryBytesPerSecond() * constant("normalization_share")) * 1e9;
  }

  /// Fused (flash) attention forward in a 16-bit format; `flops` of both products, halved where
  /// causal.
  public double attentionForwardNanos(AttentionShape shape) {
    double share =
        constant(shape.headDimension() > 96 ? "attention_share_128" : "attention_share_64")
            * shape.keys()
            / (shape.keys() + constant("attention_half_tokens"));
    return constant("attention_fixed_us") * 1e3
        + shape.flops() / (gpu.peakFlops(Precision.BF16) * share) * 1e9;
  }

  /// Fused attention backward, all its kernels together.
  public double attentionBackwardNanos(AttentionShape shape) {
    return attentionForwardNanos(shape) * constant("attention_backward_ratio");
  }

  /// A cast between 32- and 16-bit floats; to wider ones PyTorch runs a kernel of half the rate.
  public double castNanos(double elements, boolean toWider) {
    double share = constant(toWider ? "cast_widen_share" : "cast_narrow_share");
    return constant("stream_fixed_us") * 1e3
        + elements * 6 / (gpu.memoryBytesPerSecond() * share) * 1e9;
  }

  /// An addition of a 32-bit and a 16-bit tensor.
  public double mixedAddNanos(double elements) {
    return constant("stream_fixed_us") * 1e3
        + elements * 10 / (gpu.memoryBytesPerSecond() * constant("mixed_add_share")) * 1e9;
  }

  /// A pointwise kernel of a function that the arithmetic units bound, such as gelu or silu.
  public double specialFunctionNanos(double elements, double bytes) {
    return Math.max(
        streamNanos(bytes),
        constant("stream_fixed_us") * 1e3 + elements * constant("special_function_ps") * 1e-3);
  }

  /// Batch norm of 16-bit activations in training, all kernels of one direction.
  ///
  /// With channels first, PyTorch gives each channel one thread block, which cannot use a whole
  /// device where there are few channels.
  ///
  /// @param bytes of the activations
  public double batchNormNanos(
      double bytes, long channels, boolean channelsLast, boolean backward) {
    if (channelsLast) {
      double rate =
          constant(
              backward ? "batch_norm_last_backward_gb_per_s" : "batch_norm_last_forward_gb_per_s");
      return constant("batch_norm_last_fixed_us") * 1e3 + bytes / scaled(rate);
    }
    if (backward) {
      return bytes / scaled(limited("batch_norm_first_backward_gb_per_s", channels));
    }
    return bytes / scaled(limited("batch_norm_first_statistics_gb_per_s", channels))
        + bytes / scaled(constant("batch_norm_first_transform_gb_per_s"));
  }

  private static double limited(String rate, long channels) {
    return Math.min(constant(rate), channels * constant(rate + "_a_channel"));
  }

  /// A rate measured on an H200, carried to this device by its memory.
  private double scaled(double gigabytesPerSecond) {
    return gigabytesPerSecond * gpu.memoryBytesPerSecond() / MEASURED_MEMORY_BYTES_PER_SECOND;
  }

  /// One optimizer update that reads and writes this many bytes, as one fused kernel.
  public double fusedOptimizerNanos(double bytes) {
    return constant("stream_fixed_us") * 1e3
        + bytes / (gpu.memoryBytesPerSecond() * constant("fused_optimizer_share")) * 1e9;
  }

  /// A copy between host and device over the host link.
  public static double hostCopyNanos(double bytes, boolean pinned) {
    double gigabytesPerSecond =
        constant(pinned ? "host_copy_pinned_gb_per_s" : "host_copy_pageable_gb_per_s");
    return constant("host_copy_fixed_us") * 1e3 + bytes / gigabytesPerSecond;
  }

  private static Map<String, Double> read() {
    DataTable table = DataTable.resource("/dev/pitwall/hardware/kernel_costs.csv");
    Map<String, Double> values = new HashMap<>();
    for (int row = 0; row < table.rows(); row++) {
      values.put(table.text(row, "name"), table.number(row, "value", Double.NaN));
    }
    return Map.copyOf(values);
  }
}
