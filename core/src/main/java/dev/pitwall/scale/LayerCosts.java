package dev.pitwall.scale;

import dev.pitwall.hardware.GpuSpec;
import dev.pitwall.hardware.Precision;

/// What one GPU needs for one layer and for the output head, for one micro-batch, without any
/// communication: matrix products by shape, attention, everything else by bytes moved.
///
/// A product of m x k by k x n takes `2mnk / (reachable rate x share of the stack x shape)`.
/// `shape` is how well the product fills the GPU: few output tiles leave multiprocessors idle, a
/// short inner dimension leaves the pipelines unprimed. The constants are fitted to our own matmul
/// sweep on an H200 (h200/calib).
final class LayerCosts {
  /// Output tile of cuBLAS kernels on tensor cores: 128 x 256.
  private static final double TILE_AREA = 128.0 * 256;

  /// Tiles, as a share of the multiprocessors, at which half of the rate is reached.
  private static final double HALF_RATE_TILES = 0.30;

  /// Inner dimension at which half of the rate is reached.
  private static final double HALF_RATE_INNER = 160;

  /// Share of the data sheet's memory bandwidth that streaming kernels reach (own sweep: add of
  /// 2^28 bf16 moves 4.37 of 4.8 TB/s).
  static final double MEMORY_SHARE = 0.90;

  /// Attention's backward does 2.5 times the arithmetic of its forward (FlashAttention-2, section
  /// 3.1.2) at a slightly lower rate.
  private static final double ATTENTION_BACKWARD = 2.8;

  /// Bytes moved for each score by attention that stores its scores: written, scaled, masked, read
  /// and written by softmax and dropout, read by the second product, in two-byte numbers.
  private static final double SCORE_BYTES_FORWARD = 20;

  private static final double SCORE_BYTES_BACKWARD = 24;

  /// Bytes moved for each logit in the loss: read, fp32 copy, log-softmax, gradient.
  private static final double LOGIT_BYTES = 28;

  private static final double CHUNKED_LOGIT_BYTES = 12;

  /// What Llama-like blocks written in plain PyTorch move beyond blocks with fused norms, for each
  /// token and hidden element: RMSNorm in fp32 as six kernels (two norms of about 26 bytes), rotary
  /// embedding of queries and keys (about 16).
  private static final double UNFUSED_GATED_BYTES = 68;

  /// Unpacking four-bit weights for one pass costs as much as moving this many bytes for each
  /// parameter: 16 for bitsandbytes, 23 for GPTQ kernels (ms_swift rows of 7B, 14B and 72B models
  /// with and without quantization, calib); the mean of the two.
  private static final double DEQUANTIZE_BYTES = 20;

  /// Target tokens of an encoder-decoder for each input token: span corruption turns 512 tokens
  /// into 114 targets (T5, arXiv 1910.10683, section 3.1.4).
  private static final double TARGET_SHARE = 114.0 / 512;

  /// What fusing pointwise operators leaves of their memory traffic.
  private static final double COMPILED_ELEMENTWISE = 0.45;

  /// What a compiled graph leaves of the host's launch time.
  private static final double COMPILED_HOST = 0.35;

  /// Seconds of one layer for one micro-batch.
  ///
  /// @param forward products, attention and the rest
  /// @param backward without recomputation
  /// @param recompute forward work repeated in backward
  /// @param hostForward time the CPU needs to launch the forward
  /// @param hostBackward the same for the backward, recomputation included
  /// @param attention part of forward that is attention
  /// @param attentionBackward part of backward and recomputation that is attention
  record Times(
      double forward,
      double backward,
      double recompute,
      double hostForward,
      double hostBackward,
      double attention,
      double attentionBackward) {}

  private final ModelShape model;
  private final GpuSpec gpu;
  private final Strategy strategy;
  private final Recipe recipe;

  LayerCosts(ModelShape model, GpuSpec gpu, Strategy strategy, Recipe recipe) {
    this.model = model;
    this.gpu = gpu;
    this.strategy = strategy;
    this.recipe = recipe;
  }

  /// Tokens of a micro-batch on one GPU.
  double tokens() {
    return (double) strategy.microBatch() * recipe.sequence() / strategy.context();
  }

  /// Layers of a stage, those of a decoder that sees fewer tokens counted in part.
  double layersOfStage() {
    double decoder = model.layers() * (model.encoderLayers() > 0 ? TARGET_SHARE : 1);
    return (decoder + model.encoderLayers()) / strategy.pipeline();
  }

  Times layer() {
    double products = layerProducts();
    double attention = attention(false);
    double attentionBackward = attention(true);
    double rest = elementwise() / (gpu.memoryBytesPerSecond() * MEMORY_SHARE);
    double dequantize =
        recipe.tuning() == Recipe.Tuning.QLORA
            ? model.layerParameters()
                / strategy.tensor()
                * DEQUANTIZE_BYTES
                / gpu.memoryBytesPerSecond()
            : 0;
    double forward = products + attention + rest + dequantize;
    boolean frozen = recipe.tuning() != Recipe.Tuning.FULL;
    double backward = products * (frozen ? 1.08 : 2) + attentionBackward + 2 * rest + dequantize;
    double recompute =
        switch (strategy.checkpointing()) {
          case NONE -> 0;
          case SELECTIVE ->
              recipe.fusedAttention() ? recipe.stack().selectiveRecompute() * forward : attention;
          case FULL -> forward;
        };
    double host = hostLayer();
    return new Times(
        forward,
        backward,
        recompute,
        host,
        host * (1.5 + (strategy.checkpointing() == Checkpointing.FULL ? 1 : 0)),
        attention,
        attentionBackward + (strategy.checkpointing() == Checkpointing.FULL ? attention : 0));
  }

  private double hostLayer() {
    double micros =
        recipe.stack().hostLayerMicros() * (recipe.compiled() ? COMPILED_HOST : 1)
            + (strategy.tensor() > 1 ? recipe.stack().hostTensorMicros() : 0);
    double adapters = recipe.tuning() == Recipe.Tuning.FULL ? 1 : 1.1;
    return micros * 1e-6 * adapters;
  }

  /// Output head and loss, forward and backward.
  double head() {
    double n = tokens() * (model.encoderLayers() > 0 ? TARGET_SHARE : 1);
    double vocabulary = (double) model.vocabulary() / strategy.tensor();
    double product =
        2
            * n
            * model.hidden()
            * vocabulary
            / rate(n, vocabulary, model.hidden(), Precision.BF16)
            * 3;
    double loss =
        n
            * vocabulary
            * (recipe.chunkedLoss() || recipe.compiled() ? CHUNKED_LOGIT_BYTES : LOGIT_BYTES)
            / (gpu.memoryBytesPerSecond() * MEMORY_SHARE);
    return product + loss;
  }

  private double layerProducts() {
    double n = tokens();
    double t = strategy.tensor();
    double h = model.hidden();
    double attention;
    if (model.attentionParameters() > 0) {
      attention = product(n, model.attentionParameters() / h / t, h);
    } else {
      attention =
          product(n, (model.queryWidth() + 2.0 * model.keyValueWidth()) / t, h)
              + product(n, h, model.queryWidth() / t);
    }
    double crossAttention =
        model.encoderLayers() > 0 ? attention * model.layers() / (double) model.allLayers() : 0;
    return attention + crossAttention + feedForward(n, t, h);
  }

  private double feedForward(double n, double t, double h) {
    double inner = model.gated() ? 2 : 1;
    ModelShape.Experts experts = model.experts();
    double dense = 0;
    if (!experts.any() || experts.denseLayers() > 0) {
      dense = product(n, inner * model.ffn() / t, h) + product(n, h, model.ffn() / t);
    }
    if (!experts.any()) {
      return dense;
    }
    double copies = n * experts.perToken();
    double localExperts = Math.max(1, (double) experts.count() / strategy.expert());
    double tokensOfExpert = Math.max(1, copies / localExperts);
    double width = experts.ffn() / (strategy.expert() > 1 ? 1 : t);
    double routed =
        localExperts
            * (product(tokensOfExpert, inner * width, h) + product(tokensOfExpert, h, width))
            / recipe.stack().expertShare();
    double shared = 0;
    if (experts.shared() > 0) {
      double sharedWidth = (double) experts.shared() * experts.ffn() / t;
      shared = product(n, inner * sharedWidth, h) + product(n, h, sharedWidth);
    }
    double expertShare = model.expertLayerShare();
    return (1 - expertShare) * dense + expertShare * (routed + shared);
  }

  private double product(double m, double n, double k) {
    return 2 * m * n * k / rate(m, n, k, recipe.matmul());
  }

  /// Operations per second of a product in the given format.
  private double rate(double m, double n, double k, Precision precision) {
    double faster =
        Math.max(1, gpu.peakFlops(precision) / Math.max(1, gpu.peakFlops(Precision.BF16)));
    double tiles = Math.max(1, m / 128) * Math.max(1, n / 256);
    double area = Math.min(1, m * n / (tiles * TILE_AREA));
    double filled = tiles / (tiles + HALF_RATE_TILES * faster * gpu.multiprocessors());
    double primed = k / (k + HALF_RATE_INNER * faster);
    boolean low = precision == Precision.FP8 || precision == Precision.FP4;
    double share = low ? recipe.stack().lowPrecisionShare() : recipe.stack().matmulShare();
    return gpu.reachableFlops(precision) * share * filled * primed * Math.max(0.05, area);
  }

  private double attention(boolean backward) {
    double n = tokens();
    double scores = n * recipe.sequence() * model.heads() / strategy.tensor();
    if (recipe.fusedAttention()) {
      double causal = 0.5;
      double flops = 4 * scores * model.headDim() * causal * (backward ? ATTENTION_BACKWARD : 1);
      double fill = recipe.sequence() / (recipe.sequence() + 512.0);
      return flops / (gpu.reachableFlops(Precision.BF16) * recipe.stack().attentionShare() * fill);
    }
    double flops = 4 * scores * model.headDim() * (backward ? 2 : 1);
    double bytes = scores * (backward ? SCORE_BYTES_BACKWARD : SCORE_BYTES_FORWARD);
    return flops / (gpu.reachableFlops(Precision.BF16) * recipe.stack().matmulShare() * 0.7)
        + bytes / (gpu.memoryBytesPerSecond() * MEMORY_SHARE);
  }

  /// Bytes that norms, residuals, activations, casts and rotations move in one layer's forward.
  private double elementwise() {
    double n = tokens();
    double t = strategy.tensor();
    double shareOfHidden = 0.5 / (strategy.sequenceParallel() ? t : 1) + 0.5 / t;
    double widths = shareOfHidden * model.hidden() * 0.6 + 0.1 * model.activeFfn() / t;
    double routing =
        model.experts().any()
            ? model.expertLayerShare() * 8.0 * model.experts().perToken() * model.hidden()
            : 0;
    double low =
        recipe.matmul() == Precision.FP8 || recipe.matmul() == Precision.FP4
            // Quantizing each operand of each product: read two bytes, write one, twice.
            ? 6.0 * (4 * model.hidden() + model.activeFfn()) / t
            : 0;
    double fused = recipe.compiled() ? COMPILED_ELEMENTWISE : 1;
    boolean unfusedNorms = model.gated() && !recipe.compiled() && recipe.stack().runsEagerModules();
    double pieces = unfusedNorms ? UNFUSED_GATED_BYTES * model.hidden() * shareOfHidden : 0;
    return n * (recipe.stack().elementwiseBytes() * widths * fused + pieces + routing + low);
  }
}
