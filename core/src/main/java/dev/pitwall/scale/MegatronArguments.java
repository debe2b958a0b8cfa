package dev.pitwall.scale;

import java.util.ArrayList;
import java.util.List;

/// A strategy with tensor, pipeline or context parallelism as the arguments of Megatron-LM's
/// `pretrain_gpt.py` (core_r0.10 and later, `megatron/training/arguments.py`).
final class MegatronArguments {
  private MegatronArguments() {}

  /// The arguments, one or two words a line.
  static List<String> of(Strategy strategy, PlanRequest request) {
    List<String> arguments = new ArrayList<>();
    model(arguments, request.model());
    arguments.add("--seq-length " + request.sequence());
    arguments.add("--max-position-embeddings " + request.sequence());
    arguments.add("--bf16");
    arguments.add("--micro-batch-size " + strategy.microBatch());
    arguments.add("--global-batch-size " + strategy.globalBatch());
    arguments.add("--tensor-model-parallel-size " + strategy.tensor());
    if (strategy.sequenceParallel()) {
      arguments.add("--sequence-parallel");
    }
    arguments.add("--pipeline-model-parallel-size " + strategy.pipeline());
    if (strategy.virtualStages() > 1) {
      arguments.add("--num-virtual-stages-per-pipeline-rank " + strategy.virtualStages());
    }
    arguments.add("--context-parallel-size " + strategy.context());
    if (strategy.expert() > 1) {
      arguments.add("--expert-model-parallel-size " + strategy.expert());
    }
    if (strategy.sharding().shardsParameters()) {
      arguments.add("--use-torch-fsdp2");
      arguments.add("--no-gradient-accumulation-fusion");
      arguments.add("--ckpt-format torch_dist");
    } else if (strategy.sharding().shardsOptimizer()) {
      arguments.add("--use-distributed-optimizer");
      arguments.add("--overlap-grad-reduce");
      arguments.add("--overlap-param-gather");
    }
    switch (strategy.checkpointing()) {
      case NONE -> {
        // Nothing is recomputed.
      }
      case SELECTIVE -> arguments.add("--recompute-granularity selective");
      case FULL -> {
        arguments.add("--recompute-granularity full");
        arguments.add("--recompute-method uniform");
        arguments.add("--recompute-num-layers 1");
      }
    }
    return arguments;
  }

  private static void model(List<String> arguments, ModelShape model) {
    arguments.add("--num-layers " + model.layers());
    arguments.add("--hidden-size " + model.hidden());
    arguments.add("--num-attention-heads " + model.heads());
    if (model.keyValueHeads() < model.heads()) {
      arguments.add("--group-query-attention");
      arguments.add("--num-query-groups " + model.keyValueHeads());
    }
    if (model.headDim() * model.heads() != model.hidden()) {
      arguments.add("--kv-channels " + model.headDim());
    }
    arguments.add("--ffn-hidden-size " + model.ffn());
    if (model.gated()) {
      arguments.add("--swiglu");
      arguments.add("--normalization RMSNorm");
      arguments.add("--position-embedding-type rope");
      arguments.add("--disable-bias-linear");
    }
    if (!model.tiedEmbeddings()) {
      arguments.add("--untie-embeddings-and-output-weights");
    }
    if (model.experts().any()) {
      arguments.add("--num-experts " + model.experts().count());
      arguments.add("--moe-router-topk " + model.experts().perToken());
      arguments.add("--moe-ffn-hidden-size " + model.experts().ffn());
    }
  }
}
