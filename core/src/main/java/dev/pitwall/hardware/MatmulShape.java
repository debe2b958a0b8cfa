package dev.pitwall.hardware;

/// A product of an `m x k` by a `k x n` matrix, `batch` times.
///
/// @param stridedOperands how many of the two operands are not contiguous along `k`, 0 to 2
/// @param oddRows whether a matrix has rows of an odd number of elements, as the logits of a
///     vocabulary of 50257 words have: no kernel of the device's own generation reads such rows
public record MatmulShape(
    long batch, long m, long n, long k, int stridedOperands, boolean oddRows) {
  public MatmulShape {
    if (batch < 1 || m < 1 || n < 1 || k < 1) {
      throw new IllegalArgumentException(
          "a product needs positive dimensions: " + batch + "x" + m + "x" + n + "x" + k);
    }
  }

  /// A product of matrices whose rows have even lengths.
  public MatmulShape(long batch, long m, long n, long k, int stridedOperands) {
    this(batch, m, n, k, stridedOperands, false);
  }

  public double flops() {
    return 2.0 * batch * m * n * k;
  }

  /// Elements read and written.
  public double elements() {
    return (double) batch * ((double) m * k + (double) k * n + (double) m * n);
  }
}
