package dev.pitwall.scale;

import java.util.Arrays;

/// The shape of a transformer, enough to count its parameters, its arithmetic and its activations.
/// Every layer is taken to be alike; a mixture of experts replaces the feed-forward part of all but
/// the first `denseLayers`.
///
/// @param encoderLayers layers of the encoder of an encoder-decoder model, else 0
/// @param headDim width of one attention head
/// @param ffn inner width of the dense feed-forward part
/// @param gated three matrices in the feed-forward part (SwiGLU) instead of two
/// @param tiedEmbeddings the output head is the embedding
/// @param positions learned positions, else 0
/// @param attentionParameters parameters of attention in one layer where it is not the plain
///     grouped-query form, else 0
public record ModelShape(
    String name,
    int layers,
    int encoderLayers,
    int hidden,
    int heads,
    int keyValueHeads,
    int headDim,
    int ffn,
    boolean gated,
    int vocabulary,
    boolean tiedEmbeddings,
    int positions,
    Experts experts,
    long attentionParameters) {

  /// A mixture of experts; `NONE` for a dense model.
  ///
  /// @param count routed experts in a layer
  /// @param perToken routed experts that each token visits
  /// @param shared experts that every token visits
  public record Experts(int count, int perToken, int shared, int ffn, int denseLayers) {
    public static final Experts NONE = new Experts(0, 0, 0, 0, 0);

    public boolean any() {
      return count > 1;
    }
  }

  /// A dense decoder.
  public static ModelShape dense(
      String name,
      int layers,
      int hidden,
      int heads,
      int keyValueHeads,
      int ffn,
      boolean gated,
      int vocabulary,
      boolean tiedEmbeddings) {
    return new ModelShape(
        name,
        layers,
        0,
        hidden,
        heads,
        keyValueHeads,
        hidden / heads,
        ffn,
        gated,
        vocabulary,
        tiedEmbeddings,
        0,
        Experts.NONE,
        0);
  }

  public int queryWidth() {
    return heads * headDim;
  }

  public int keyValueWidth() {
    return keyValueHeads * headDim;
  }

  /// Layers that a token of the decoder or the encoder passes, counted together.
  public int allLayers() {
    return layers + encoderLayers;
  }

  /// Parameters of attention in one layer.
  public double attentionLayerParameters() {
    return attentionParameters > 0
        ? attentionParameters
        : (double) hidden * (queryWidth() + 2.0 * keyValueWidth()) + (double) queryWidth() * hidden;
  }

  private double feedForwardParameters(double width) {
    return (gated ? 3.0 : 2.0) * hidden * width;
  }

  /// Parameters of one layer, the mean over dense and expert layers.
  public double layerParameters() {
    double norms = 2.0 * hidden;
    if (!experts.any()) {
      return attentionLayerParameters() + feedForwardParameters(ffn) + norms;
    }
    return attentionLayerParameters()
        + norms
        + denseLayerShare() * feedForwardParameters(ffn)
        + (1 - denseLayerShare()) * (expertLayerParameters() + sharedAndRouterParameters());
  }

  /// Parameters of all routed experts of one expert layer.
  public double expertLayerParameters() {
    return experts.count() * feedForwardParameters(experts.ffn());
  }

  private double sharedAndRouterParameters() {
    return experts.shared() * feedForwardParameters(experts.ffn())
        + (double) hidden * experts.count();
  }

  private double denseLayerShare() {
    return experts.any() ? (double) experts.denseLayers() / layers : 1;
  }

  /// Share of the layers that hold routed experts.
  public double expertLayerShare() {
    return 1 - denseLayerShare();
  }

  /// Parameters of one layer that one token is multiplied with, by matrices only.
  public double activeLayerParameters() {
    if (!experts.any()) {
      return attentionLayerParameters() + feedForwardParameters(ffn);
    }
    double visited = (double) experts.perToken() + experts.shared();
    return attentionLayerParameters()
        + denseLayerShare() * feedForwardParameters(ffn)
        + (1 - denseLayerShare())
            * (visited * feedForwardParameters(experts.ffn()) + (double) hidden * experts.count());
  }

  /// Inner width of the feed-forward part that one token sees.
  public double activeFfn() {
    return experts.any()
        ? denseLayerShare() * ffn
            + (1 - denseLayerShare()) * (experts.perToken() + experts.shared()) * experts.ffn()
        : ffn;
  }

  public double embeddingParameters() {
    return (double) vocabulary * hidden + (double) positions * hidden;
  }

  /// The output head's own parameters: 0 where it is tied to the embedding.
  public double headParameters() {
    return tiedEmbeddings ? 0 : (double) vocabulary * hidden;
  }

  public double parameters() {
    double crossAttention = encoderLayers > 0 ? layers * attentionLayerParameters() : 0;
    return allLayers() * layerParameters()
        + crossAttention
        + embeddingParameters()
        + headParameters()
        + hidden;
  }

  /// Arithmetic of one token, forward and backward, without recomputation: 6 per matrix parameter,
  /// plus attention scores and values at 12 x layers x width x tokens attended. `causal` counts
  /// half of the square (PaLM appendix B counts all of it).
  public double flopsPerToken(int sequence, boolean causal) {
    double crossAttention = encoderLayers > 0 ? layers * attentionLayerParameters() : 0;
    double matrices =
        allLayers() * activeLayerParameters() + crossAttention + (double) vocabulary * hidden;
    double scores = 12.0 * allLayers() * queryWidth() * sequence * (causal ? 0.5 : 1);
    return 6 * matrices + scores;
  }

  /// Elements of one layer's gradients in order of readiness: matrices and norms as the usual
  /// modules register them.
  ///
  /// @param tensor ranks that share the layer
  long[] layerGradients(int tensor) {
    double h = hidden;
    long output = Math.round(queryWidth() * h / tensor);
    long input = Math.round(h * (queryWidth() + 2.0 * keyValueWidth()) / tensor);
    double rest = layerParameters() - 2.0 * h - (output + (double) input) * tensor;
    int matrices = gated ? 3 : 2;
    long[] elements = new long[matrices + 4];
    Arrays.fill(elements, 0, matrices, Math.round(Math.max(0, rest) / matrices / tensor));
    elements[matrices] = hidden;
    elements[matrices + 1] = output;
    elements[matrices + 2] = input;
    elements[matrices + 3] = hidden;
    return elements;
  }
}
