package dev.pitwall.hardware;

/// Scaled dot product attention of `batchHeads` heads (batch times heads).
///
/// @param queries tokens that ask
/// @param keys tokens that are asked
/// @param causal whether each token sees only those before it
public record AttentionShape(
    long batchHeads, long queries, long keys, long headDimension, boolean causal) {
  public AttentionShape {
    if (batchHeads < 1 || queries < 1 || keys < 1 || headDimension < 1) {
      throw new IllegalArgumentException("attention needs positive dimensions");
    }
  }

  /// Operations of the two products of the forward pass.
  public double flops() {
    double full = 4.0 * batchHeads * queries * keys * headDimension;
    return causal ? full / 2 : full;
  }
}
