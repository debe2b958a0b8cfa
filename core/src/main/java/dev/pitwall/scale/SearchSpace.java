package dev.pitwall.scale;

import java.util.ArrayList;
import java.util.List;

/// Every strategy worth looking at for a request: degrees that divide the cluster, kinds of
/// sharding, micro-batches and checkpointing.
final class SearchSpace {
  private static final int[] TENSOR = {1, 2, 4, 8};
  private static final int[] PIPELINE = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 24, 32};
  private static final int[] VIRTUAL = {2, 3, 4, 5, 6, 7, 8};
  private static final int[] CONTEXT = {1, 2, 4, 8, 16};
  private static final int[] MICRO = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};

  /// Below this length splitting a sequence only adds communication.
  private static final int LEAST_SEQUENCE_TO_SPLIT = 8192;

  private final PlanRequest request;
  private final List<Strategy> strategies = new ArrayList<>();

  SearchSpace(PlanRequest request) {
    this.request = request;
  }

  List<Strategy> all() {
    Cluster cluster = request.cluster();
    ModelShape model = request.model();
    for (int tensor : TENSOR) {
      if (tensor > cluster.gpusPerNode() || model.heads() % tensor != 0) {
        continue;
      }
      for (int pipeline : PIPELINE) {
        // Embedding and head may take a layer's place, so stages may differ by one.
        if (model.allLayers() / pipeline < 1) {
          continue;
        }
        for (int context : CONTEXT) {
          if (context > 1 && request.sequence() < LEAST_SEQUENCE_TO_SPLIT) {
            continue;
          }
          int replica = tensor * pipeline * context;
          if (replica <= cluster.gpus() && cluster.gpus() % replica == 0) {
            mesh(tensor, pipeline, context, cluster.gpus() / replica);
          }
        }
      }
    }
    return strategies;
  }

  private void mesh(int tensor, int pipeline, int context, int data) {
    for (int micro : MICRO) {
      if (request.globalBatch() % data != 0 && data > 1) {
        break;
      }
      long perReplica = request.globalBatch() / data;
      if (perReplica < micro || perReplica % micro != 0) {
        continue;
      }
      int accumulation = (int) Math.min(Integer.MAX_VALUE, perReplica / micro);
      for (Checkpointing checkpointing : Checkpointing.values()) {
        for (Sharding sharding : Sharding.values()) {
          if (isWorthLookingAt(sharding, tensor, pipeline, data * context)) {
            int expert = sharding.shardsParameters() ? 1 : expert(data * context);
            Strategy.Layout layout =
                new Strategy.Layout(
                    data, data * context, tensor, tensor > 1, pipeline, 1, context, expert);
            variants(
                new Strategy(
                    sharding, layout, micro, accumulation, checkpointing, true, Offload.NONE));
          }
        }
      }
    }
  }

  private static boolean isWorthLookingAt(Sharding sharding, int tensor, int pipeline, int ranks) {
    boolean alone = ranks == 1;
    if (alone != (sharding == Sharding.NONE) || sharding == Sharding.FSDP1) {
      return false;
    }
    // Gradients and parameters sharded per micro-batch would be communicated for every one.
    boolean shardsEveryMicroBatch = sharding.shardsGradients() && pipeline > 1;
    return !shardsEveryMicroBatch && (sharding != Sharding.DDP || pipeline * tensor == 1);
  }

  private int expert(int ranks) {
    ModelShape.Experts experts = request.model().experts();
    return experts.any()
        ? Math.min(Math.min(ranks, request.cluster().gpusPerNode()), experts.count())
        : 1;
  }

  private void variants(Strategy plain) {
    strategies.add(plain);
    for (int virtual : VIRTUAL) {
      if (plain.pipeline() > 1
          && virtual <= request.model().allLayers() / plain.pipeline()
          && plain.accumulation() % plain.pipeline() == 0) {
        strategies.add(plain.withVirtualStages(virtual));
      }
    }
    if (plain.sharding() == Sharding.FSDP2) {
      strategies.add(plain.withReshard(false));
      int perNode = Math.max(1, request.cluster().gpusPerNode() / plain.tensor());
      for (int shard = Math.max(2, perNode); shard < plain.dataRanks(); shard *= 2) {
        if (plain.dataRanks() % shard == 0) {
          strategies.add(plain.withShard(shard));
          strategies.add(plain.withShard(shard).withReshard(false));
        }
      }
      strategies.add(plain.with(Offload.ALL_CPU));
    } else if (plain.sharding() == Sharding.ZERO2) {
      strategies.add(plain.with(Offload.OPTIMIZER_CPU));
    } else if (plain.sharding() == Sharding.ZERO3) {
      strategies.add(plain.with(Offload.OPTIMIZER_CPU));
      strategies.add(plain.with(Offload.ALL_CPU));
      strategies.add(plain.with(Offload.ALL_NVME));
    }
  }
}
