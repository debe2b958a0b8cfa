package dev.pitwall.scale;

import dev.pitwall.hardware.Precision;

/// What is trained and in which numbers, apart from how it is spread.
///
/// @param sequence tokens of one sequence
/// @param matmul format of the matrix products in the layers
/// @param states bytes that each parameter occupies
/// @param tuning which parameters train
/// @param compiled `torch.compile` or an equivalent fusing compiler
/// @param fusedAttention attention without a stored score matrix
/// @param chunkedLoss logits never exist as a whole
/// @param stack software whose measured efficiency applies
public record Recipe(
    int sequence,
    Precision matmul,
    StateBytes states,
    Tuning tuning,
    boolean compiled,
    boolean fusedAttention,
    boolean chunkedLoss,
    SoftwareStack stack) {

  /// Which parameters train.
  public enum Tuning {
    FULL,
    /// Low-rank adapters on a frozen bf16 model.
    LORA,
    /// The same with embedding and output head trained too.
    LORA_EMBEDDINGS,
    /// Low-rank adapters on a frozen 4-bit model.
    QLORA
  }

  /// Bytes of each parameter (research 2.1: count what is really allocated).
  ///
  /// @param weights the copy that computes
  /// @param gradients as kept until the optimizer
  /// @param master a wider copy of the weights, 0 where the weights themselves are it
  /// @param optimizer state of the optimizer
  /// @param gather one element of an all-gather of parameters
  /// @param reduce one element of a reduction of gradients
  public record StateBytes(
      double weights,
      double gradients,
      double master,
      double optimizer,
      double gather,
      double reduce) {
    /// fp32 weights under autocast, Adam: 16 bytes.
    public static final StateBytes AUTOCAST = new StateBytes(4, 4, 0, 8, 2, 4);

    /// bf16 weights, fp32 gradients and master, Adam: 18 bytes (Megatron
    /// `theoretical_memory_usage.py`).
    public static final StateBytes MEGATRON = new StateBytes(2, 4, 4, 8, 2, 4);

    /// fp16 weights and gradients, fp32 master, Adam: 16 bytes (ZeRO paper, arXiv 1910.02054).
    public static final StateBytes ZERO = new StateBytes(2, 2, 4, 8, 2, 2);

    /// FSDP with a mixed-precision policy: fp32 shards, gathered in bf16, reduced in fp32.
    public static final StateBytes FSDP_MIXED = new StateBytes(4, 4, 0, 8, 2, 4);

    /// FSDP with bf16 reduction.
    public static final StateBytes FSDP_BF16_REDUCE = new StateBytes(4, 4, 0, 8, 2, 2);

    /// Everything in bf16: 8 bytes.
    public static final StateBytes PURE_BF16 = new StateBytes(2, 2, 0, 4, 2, 2);

    /// All bytes of a parameter on an unsharded replica.
    public double total() {
      return weights + gradients + master + optimizer;
    }
  }

  public Recipe with(StateBytes other) {
    return new Recipe(
        sequence, matmul, other, tuning, compiled, fusedAttention, chunkedLoss, stack);
  }

  public Recipe withSequence(int tokens) {
    return new Recipe(tokens, matmul, states, tuning, compiled, fusedAttention, chunkedLoss, stack);
  }
}
