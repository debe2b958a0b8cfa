package dev.pitwall.scale;

import dev.pitwall.hardware.GpuSpec;
import dev.pitwall.hardware.Precision;

/// A question to the planner.
///
/// @param sequence tokens of one sequence
/// @param globalBatchTokens tokens of one step over all GPUs
/// @param compiled whether the layers run under `torch.compile`
/// @param pricePerGpuHour in any currency, 0 where not given
public record PlanRequest(
    ModelShape model,
    Cluster cluster,
    int sequence,
    long globalBatchTokens,
    boolean compiled,
    double pricePerGpuHour) {

  /// Tokens of a step where the user names none: 4 Mi, the batch of most large pre-training runs
  /// (Llama 2 report, section 2.2).
  public static final long DEFAULT_BATCH_TOKENS = 4L << 20;

  /// Sequences of one step.
  public long globalBatch() {
    return Math.max(1, globalBatchTokens / sequence);
  }

  PlanRequest withCluster(Cluster other) {
    return new PlanRequest(model, other, sequence, globalBatchTokens, compiled, pricePerGpuHour);
  }

  PlanRequest withSequence(int tokens) {
    return new PlanRequest(model, cluster, tokens, globalBatchTokens, compiled, pricePerGpuHour);
  }

  PlanRequest withBatchTokens(long tokens) {
    return new PlanRequest(model, cluster, sequence, tokens, compiled, pricePerGpuHour);
  }

  /// The numbers and the software that go with a kind of sharding: DDP under autocast, FSDP with
  /// fp32 shards gathered in bf16, DeepSpeed and Megatron with bf16 weights and an fp32 master.
  public Recipe recipe(Strategy strategy) {
    GpuSpec gpu = cluster.gpu();
    boolean zero =
        strategy.sharding() == Sharding.ZERO1
            || strategy.sharding() == Sharding.ZERO2
            || strategy.sharding() == Sharding.ZERO3;
    Recipe.StateBytes states =
        strategy.sharding().shardsParameters() && !zero
            ? Recipe.StateBytes.FSDP_MIXED
            : zero || strategy.tensor() > 1 || strategy.pipeline() > 1
                ? Recipe.StateBytes.MEGATRON
                : Recipe.StateBytes.AUTOCAST;
    boolean megatron =
        strategy.pipeline() > 1
            || (strategy.tensor() > 1 && !strategy.sharding().shardsParameters());
    return new Recipe(
        sequence,
        gpu.bf16Flops() > 0 ? Precision.BF16 : Precision.FP16,
        states,
        Recipe.Tuning.FULL,
        compiled,
        !gpu.architecture().startsWith("7."),
        false,
        megatron ? SoftwareStack.named("megatron-core") : SoftwareStack.pytorch());
  }
}
