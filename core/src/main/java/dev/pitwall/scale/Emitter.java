package dev.pitwall.scale;

import dev.pitwall.json.JsonWriter;
import dev.pitwall.pass.scale.ZeroThreeOptions;
import java.util.ArrayList;
import java.util.List;

/// Writes what to paste for a strategy: PyTorch code (valid for 2.6 to 2.13), a DeepSpeed
/// configuration (0.14 and later), the launch line. Each Python file runs as it is on a small
/// stand-in model, so that it can be tried before it is pasted.
public final class Emitter {
  private Emitter() {}

  /// A file to write.
  ///
  /// @param describes the strategy it carries out
  /// @param recommended whether that is the best of the plan, as opposed to the best of its kind
  public record Emitted(String name, String content, String describes, boolean recommended) {}

  /// The recommended strategy and how to launch it, then the best of each other kind that the plan
  /// found to fit: FSDP2, DDP, ZeRO, Megatron-LM.
  public static List<Emitted> files(Plan plan) {
    List<Emitted> files = new ArrayList<>();
    Strategy best = plan.best().getFirst().strategy();
    Emitted recommended = file(best, plan.request(), true);
    files.add(recommended);
    files.add(new Emitted("run.sh", launch(plan, recommended.name()), best.describe(), true));
    for (PlannedStrategy planned : plan.families()) {
      Emitted file = file(planned.strategy(), plan.request(), false);
      if (files.stream().noneMatch(known -> known.name().equals(file.name()))) {
        files.add(file);
      }
    }
    return files;
  }

  private static Emitted file(Strategy strategy, PlanRequest request, boolean recommended) {
    // DeepSpeed's stages 2 and 3 are no arguments of Megatron-LM.
    boolean ofMegatron =
        strategy.tensor() * strategy.pipeline() * strategy.context() > 1
            && strategy.sharding() != Sharding.ZERO2
            && strategy.sharding() != Sharding.ZERO3;
    String name;
    String content;
    if (ofMegatron) {
      name = "megatron.args";
      content = String.join("\n", MegatronArguments.of(strategy, request)) + "\n";
    } else {
      switch (strategy.sharding()) {
        case FSDP1, FSDP2 -> {
          name = "train_fsdp2.py";
          content = fsdp2(strategy, request.compiled());
        }
        case ZERO1, ZERO2, ZERO3 -> {
          name = "ds_config.json";
          content = deepSpeed(strategy, request);
        }
        default -> {
          name = "train_ddp.py";
          content = ddp(strategy, request.compiled());
        }
      }
    }
    return new Emitted(name, content, strategy.describe(), recommended);
  }

  /// The launch line for every node. What only configures a program of the user's takes that
  /// program as its argument.
  private static String launch(Plan plan, String file) {
    Cluster cluster = plan.request().cluster();
    String program =
        switch (file) {
          case "ds_config.json" -> "\"$program\" --deepspeed_config \"$here/ds_config.json\"";
          case "megatron.args" -> "\"$program\" $(cat \"$here/megatron.args\") \"${@:2}\"";
          default -> "\"$here/" + file + "\"";
        };
    String asked =
        switch (file) {
          case "ds_config.json" ->
              "program=${1:?give your training program, which initializes DeepSpeed with its"
                  + " --deepspeed_config}\n";
          case "megatron.args" ->
              "program=${1:?give the path of Megatron-LM's pretrain_gpt.py, then the arguments of"
                  + " your data and tokenizer}\n";
          default -> "";
        };
    return """
    #!/usr/bin/env bash
    # %s
    # Run on every node with NODE_RANK and MASTER_ADDR set.
    set -euo pipefail
    here=$(cd "$(dirname "$0")" && pwd)
    %storchrun --nnodes=%d --nproc-per-node=%d --node-rank="${NODE_RANK:-0}" \\
      --rdzv-backend=c10d --rdzv-endpoint="${MASTER_ADDR:-localhost}:29500" \\
      %s
    """
        .formatted(
            plan.best().getFirst().strategy().describe(),
            asked,
            cluster.nodes(),
            cluster.gpusPerNode(),
            program);
  }

  /// FSDP2 (`fully_shard`): each layer its own unit, the root around them.
  public static String fsdp2(Strategy strategy, boolean compiled) {
    boolean hybrid = strategy.isHybrid();
    boolean offloads = strategy.offload().any();
    String keywords = offloads ? ", offload_policy=offload" : "";
    int replicas = Math.max(1, strategy.dataRanks() / strategy.shard());
    return HEADER.formatted(strategy.describe())
        + """
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import %s
        """
            .formatted(
                offloads
                    ? "CPUOffloadPolicy, MixedPrecisionPolicy, OffloadPolicy, fully_shard"
                    : "MixedPrecisionPolicy, fully_shard")
        + checkpointImport(strategy)
        + """


        def shard(model, layers, world_size):
            \"\"\"Shard `model`; `layers` are its transformer blocks, each gathered as one unit.\"\"\"
            device_type = "cuda" if torch.cuda.is_available() else "cpu"
        """
        + (hybrid
            ? """
                # %d replicas of %d ranks: shards inside a node, one all-reduce between nodes.
                replicas = %d if world_size %% %d == 0 else 1
                mesh = init_device_mesh(device_type, (replicas, world_size // replicas), mesh_dim_names=("replicate", "shard"))
            """
                .formatted(replicas, strategy.shard(), replicas, replicas)
                .indent(0)
            : "    mesh = init_device_mesh(device_type, (world_size,),"
                + " mesh_dim_names=(\"shard\",))\n")
        + """
            policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
        """
        + (offloads
            ? "    offload = CPUOffloadPolicy() if torch.cuda.is_available() else OffloadPolicy()\n"
            : "")
        + """
            for layer in layers:
        """
        + checkpointLine(strategy)
        + (compiled ? "        layer.compile()\n" : "")
        + """
                fully_shard(layer, mesh=mesh, mp_policy=policy, reshard_after_forward=%s%s)
            return fully_shard(model, mesh=mesh, mp_policy=policy%s)


        """
            .formatted(strategy.reshardAfterForward() ? "True" : "False", keywords, keywords)
        + MODEL
        + main("model = shard(model, model.layers, dist.get_world_size())", strategy, false);
  }

  /// DDP with the default buckets.
  public static String ddp(Strategy strategy, boolean compiled) {
    return HEADER.formatted(strategy.describe())
        + """
        from torch.nn.parallel import DistributedDataParallel
        """
        + checkpointImport(strategy)
        + """


        def replicate(model, layers, local_rank):
            \"\"\"Replicate `model`; gradients share memory with the buckets they are reduced in.\"\"\"
        """
        + (strategy.checkpointing() == Checkpointing.FULL
            ? "    for layer in layers:\n" + checkpointLine(strategy)
            : "")
        + """
            return DistributedDataParallel(
                model,
                device_ids=[local_rank] if torch.cuda.is_available() else None,
                bucket_cap_mb=25,
                gradient_as_bucket_view=True,
                static_graph=%s,
            )


        """
            // Under no_sync a static graph fails in its first iteration (reducer.cpp:1732, 2.13).
            .formatted(strategy.accumulation() == 1 ? "True" : "False")
        + MODEL
        + main(
            "model = replicate(model, model.layers, local_rank)"
                + (compiled
                    ? "\n    if torch.cuda.is_available():\n        model = torch.compile(model)"
                    : ""),
            strategy,
            true);
  }

  private static String checkpointImport(Strategy strategy) {
    return strategy.checkpointing() == Checkpointing.FULL
        ? """
        from torch.utils.checkpoint import checkpoint


        def checkpointed(forward):
            \"\"\"The same forward, recomputed in backward instead of kept.\"\"\"
            return lambda *inputs: checkpoint(forward, *inputs, use_reentrant=False)
        """
        : "";
  }

  private static String checkpointLine(Strategy strategy) {
    return strategy.checkpointing() == Checkpointing.FULL
        ? "        layer.forward = checkpointed(layer.forward)\n"
        : "";
  }

  private static final String HEADER =
      """
      # %s
      # Written by `pitwall plan --emit` for PyTorch 2.6 to 2.13.
      import contextlib
      import os

      import torch
      import torch.distributed as dist
      import torch.nn as nn
      import torch.nn.functional as F
      """;

  private static final String MODEL =
      """
      class Block(nn.Module):
          \"\"\"A small stand-in: replace it and `Model` by your own.\"\"\"

          def __init__(self, width):
              super().__init__()
              self.norm = nn.LayerNorm(width)
              self.up = nn.Linear(width, 4 * width)
              self.down = nn.Linear(4 * width, width)

          def forward(self, x):
              return x + self.down(F.gelu(self.up(self.norm(x))))


      class Model(nn.Module):
          def __init__(self, width=64, depth=4, vocabulary=256):
              super().__init__()
              self.embedding = nn.Embedding(vocabulary, width)
              self.layers = nn.ModuleList(Block(width) for _ in range(depth))
              self.head = nn.Linear(width, vocabulary)

          def forward(self, tokens):
              x = self.embedding(tokens)
              for layer in self.layers:
                  x = layer(x)
              return self.head(x)


      """;

  private static String main(String distribute, Strategy strategy, boolean ddp) {
    return """
    def main():
        cuda = torch.cuda.is_available()
        local_rank = int(os.environ.get("LOCAL_RANK", 0))
        if cuda:
            torch.cuda.set_device(local_rank)
        dist.init_process_group("nccl" if cuda else "gloo")
        device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
        torch.manual_seed(0)
        model = Model().to(device)
        %s
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=%s)
        micro_batches = %d
        tokens = torch.randint(0, 256, (%d, 32), device=device)
        for step in range(2):
            for micro in range(micro_batches):
                last = micro == micro_batches - 1
                with %s:
                    loss = F.cross_entropy(model(tokens).flatten(0, 1).float(), tokens.flatten())
                    (loss / micro_batches).backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        if dist.get_rank() == 0:
            print(f"loss {float(loss.detach()):.3f}")
        dist.destroy_process_group()


    if __name__ == "__main__":
        main()
    """
        .formatted(
            distribute,
            // The fused optimizer runs on the device; offloaded shards are on the host.
            strategy.offload().any() ? "False" : "cuda",
            strategy.accumulation(),
            strategy.microBatch(),
            ddp
                ? "contextlib.nullcontext() if last else model.no_sync()"
                : "contextlib.nullcontext()");
  }

  /// A DeepSpeed configuration with the keys of its documentation
  /// (deepspeed.ai/docs/config-json); sizes in elements.
  public static String deepSpeed(Strategy strategy, PlanRequest request) {
    ZeroThreeOptions third = ZeroThreeOptions.ofWidth(request.model().hidden());
    int stage =
        strategy.sharding() == Sharding.ZERO1 ? 1 : strategy.sharding() == Sharding.ZERO2 ? 2 : 3;
    JsonWriter json = new JsonWriter();
    json.object();
    json.key("train_micro_batch_size_per_gpu").value((long) strategy.microBatch());
    json.key("gradient_accumulation_steps").value((long) strategy.accumulation());
    json.key("gradient_clipping").value(1.0);
    json.key("bf16").object();
    json.key("enabled").value(true);
    json.end();
    json.key("zero_optimization").object();
    json.key("stage").value((long) stage);
    json.key("overlap_comm").value(true);
    json.key("contiguous_gradients").value(true);
    json.key("reduce_bucket_size").value(stage == 3 ? third.reduceBucket() : 500_000_000L);
    if (stage < 3) {
      json.key("reduce_scatter").value(true);
      json.key("allgather_partitions").value(true);
      json.key("allgather_bucket_size").value(500_000_000L);
    } else {
      json.key("stage3_prefetch_bucket_size").value(third.prefetchBucket());
      json.key("stage3_param_persistence_threshold").value(third.persistenceThreshold());
      json.key("stage3_max_live_parameters").value(third.maxLive());
      json.key("stage3_max_reuse_distance").value(third.maxReuseDistance());
      json.key("stage3_gather_16bit_weights_on_model_save").value(true);
    }
    if (strategy.offload().any()) {
      String device = strategy.offload().usesNvme() ? "nvme" : "cpu";
      offload(json, "offload_optimizer", device);
      if (strategy.offload().offloadsParameters()) {
        offload(json, "offload_param", device);
      }
    }
    json.end();
    if (strategy.checkpointing() == Checkpointing.FULL) {
      json.key("activation_checkpointing").object();
      json.key("partition_activations").value(false);
      json.key("cpu_checkpointing").value(false);
      json.end();
    }
    json.end();
    return json + "\n";
  }

  private static void offload(JsonWriter json, String key, String device) {
    json.key(key).object();
    json.key("device").value(device);
    json.key("pin_memory").value(true);
    if (device.equals("nvme")) {
      json.key("nvme_path").value("/local_nvme");
      json.key("buffer_count").value(5L);
    }
    json.end();
  }
}
