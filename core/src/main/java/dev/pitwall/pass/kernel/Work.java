package dev.pitwall.pass.kernel;

import dev.pitwall.hardware.AttentionShape;
import dev.pitwall.hardware.KernelCosts;
import dev.pitwall.hardware.MatmulShape;
import dev.pitwall.hardware.Precision;

/// What a kernel has to do, in the terms of the cost models.
public sealed interface Work {
  /// How long the cost model gives it, in nanoseconds. Only ratios of two works of one kernel mean
  /// much.
  double nanos(KernelCosts costs);

  /// A matrix product.
  record Product(MatmulShape shape, Precision precision) implements Work {
    @Override
    public double nanos(KernelCosts costs) {
      return costs.matmulNanos(shape, precision);
    }
  }

  /// A convolution as the matrix product it is computed by.
  ///
  /// @param elements elements of input, weight and output
  record Convolution(MatmulShape shape, double elements, Precision precision) implements Work {
    @Override
    public double nanos(KernelCosts costs) {
      return costs.convolutionNanos(shape, elements, precision);
    }
  }

  /// Fused attention, one of the kernels of its forward or backward operator.
  record Attention(AttentionShape shape, boolean backward) implements Work {
    @Override
    public double nanos(KernelCosts costs) {
      return backward ? costs.attentionBackwardNanos(shape) : costs.attentionForwardNanos(shape);
    }
  }

  /// Anything bound by the bytes it moves.
  record Stream(double bytes) implements Work {
    @Override
    public double nanos(KernelCosts costs) {
      return costs.streamNanos(bytes);
    }
  }

  /// Work whose size we do not know, or that has none worth naming.
  record Fixed() implements Work {
    @Override
    public double nanos(KernelCosts costs) {
      return costs.streamNanos(0);
    }
  }
}
