package dev.pitwall.hardware;

/// A product of an `m x k` by a `k x n` matrix, `batch` times.
///
/// @param stridedOperands how many of the two operands are not contiguous along `k`, 0 to 2
public record MatmulShape(long batch, long m, long n, long k, int stridedOperands) {
  public MatmulShape {
    if (batch < 1 || m < 1 || n < 1 || k < 1) {
      throw new IllegalArgumentException(
          "a product needs positive dimensions: " + batch + "x" + m + "x" + n + "x" + k);
    }
  }

  public double flops() {
    return 2.0 * batch * m * n * k;
  }

  /// Elements read and written.
  public double elements() {
    return (double) batch * ((double) m * k + (double) k * n + (double) m * n);
  }
}
