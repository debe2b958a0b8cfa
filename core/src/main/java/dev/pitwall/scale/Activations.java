package dev.pitwall.scale;

/// Bytes that one layer keeps for its backward, tensor by tensor, for one micro-batch on one GPU.
///
/// A block with pre-norms, grouped-query attention without stored scores and a gated feed-forward
/// keeps, for each token, with width `h`, key and value width `k`, inner width `f` and two-byte
/// numbers:
///
/// ```
///   input of the block 2h · norm output 2h · query, key, value 2(h + 2k) · attention output 2h
///   input of the second norm 2h · norm output 2h · gate, activation, up and their product 8f
///   log-sum-exp of attention 4 x heads
/// ```
///
/// Under autocast residuals stay in fp32, so the two inputs of norms count 4h. Without a gate the
/// feed-forward keeps its product and its activation, 4f, and dropout adds a byte a value
/// (Korthikanti et al., arXiv 2205.05198). Stored attention scores add 5 bytes a score. A fused
/// SwiGLU keeps 6f.
final class Activations {
  private final ModelShape model;
  private final Strategy strategy;
  private final Recipe recipe;
  private final double tokens;
  private final double tensor;
  private final boolean autocast;

  Activations(ModelShape model, Strategy strategy, Recipe recipe) {
    this.model = model;
    this.strategy = strategy;
    this.recipe = recipe;
    this.tokens = (double) strategy.microBatch() * recipe.sequence() / strategy.context();
    this.tensor = strategy.tensor();
    this.autocast = recipe.states().weights() == 4 && !strategy.sharding().shardsParameters();
  }

  /// What stays between forward and backward.
  double kept() {
    double input = 2 * tokens * model.hidden() / (strategy.sequenceParallel() ? tensor : 1);
    return switch (strategy.checkpointing()) {
      case FULL -> autocast ? 2 * input : input;
      case SELECTIVE ->
          recipe.stack().selectiveRecompute() > 0.1
              ? 0.55 * whole() + 0.45 * input
              : whole() - scores();
      case NONE -> whole();
    };
  }

  /// Everything one layer's backward needs.
  double whole() {
    boolean megatron = recipe.stack().name().startsWith("megatron");
    boolean eagerNorms = recipe.stack().name().equals("huggingface") && !recipe.compiled();
    double replicated = strategy.sequenceParallel() ? tensor : 1;
    double h = model.hidden();
    double residual = autocast ? 4 : 2;
    double norms = 2 * residual * h + 2 * 2 * h + (eagerNorms ? 16 * h : 0);
    double attention =
        2 * (model.queryWidth() + 2.0 * model.keyValueWidth()) + 2 * model.queryWidth();
    double dropout = model.gated() ? 0 : 2 * h;
    double ffn = model.activeFfn();
    boolean fusedGate = megatron || recipe.compiled();
    double feedForward = model.gated() ? (fusedGate ? 6 : 8) * ffn : 4 * ffn;
    double logSumExp = recipe.fusedAttention() ? 4.0 * model.heads() : 0;
    double routed =
        model.experts().any() ? 4.0 * h * model.experts().perToken() * model.expertLayerShare() : 0;
    double frozenInputs = recipe.tuning() == Recipe.Tuning.FULL ? 0 : 2 * h;
    return tokens
            * ((norms + dropout) / replicated
                + (attention + feedForward + logSumExp + routed + frozenInputs) / tensor)
        + scores();
  }

  private double scores() {
    return recipe.fusedAttention() ? 0 : 5.0 * tokens * recipe.sequence() * model.heads() / tensor;
  }

  /// Gradients of activations that are alive at once in one layer's backward.
  double working() {
    return tokens * (4.0 * model.hidden() + 4 * model.activeFfn() / tensor);
  }

  /// Logits and what the loss makes of them, when both live: in two-byte numbers the log-softmax,
  /// the gradient of the loss and that of the logits; in fp32 where autocast or the model asks for
  /// it.
  double loss() {
    double logits = tokens * model.vocabulary() / tensor;
    if (recipe.chunkedLoss()) {
      return logits * 2 / 8;
    }
    boolean single = autocast || recipe.stack().name().equals("huggingface");
    if (recipe.stack().name().startsWith("megatron")) {
      return logits * 6;
    }
    if (recipe.stack().name().equals("huggingface") && !recipe.compiled()) {
      // The bf16 logits stay as the model's output; fp32 log-softmax and two fp32 gradients.
      return logits * 16;
    }
    return logits * (single ? 12 : 6) + 2 * tokens * model.hidden() * (autocast ? 3 : 2);
  }
}
