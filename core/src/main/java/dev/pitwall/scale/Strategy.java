package dev.pitwall.scale;

import java.util.ArrayList;
import java.util.List;

/// One way to spread a training job over a cluster.
///
/// @param microBatch sequences a replica processes at once
/// @param accumulation micro-batches a step
/// @param reshardAfterForward whether gathered parameters are freed between forward and backward
public record Strategy(
    Sharding sharding,
    Layout layout,
    int microBatch,
    int accumulation,
    Checkpointing checkpointing,
    boolean reshardAfterForward,
    Offload offload) {

  /// Which part of the work each rank has.
  ///
  /// Ranks are numbered with tensor parallel innermost, then context, data and pipeline outermost
  /// (Megatron's and torchtitan's order). Expert parallel ranks are taken from the data ranks.
  ///
  /// @param data replicas that see different samples
  /// @param shard over how many ranks states are sharded: `data` x `context` for full sharding,
  ///     fewer for hybrid sharding
  /// @param sequenceParallel norms and residuals are split over the tensor ranks too
  /// @param virtualStages model chunks a pipeline rank holds (interleaved schedule), 1 for plain
  ///     1F1B
  public record Layout(
      int data,
      int shard,
      int tensor,
      boolean sequenceParallel,
      int pipeline,
      int virtualStages,
      int context,
      int expert) {
    public Layout {
      if (data < 1
          || shard < 1
          || tensor < 1
          || pipeline < 1
          || virtualStages < 1
          || context < 1
          || expert < 1) {
        throw new IllegalArgumentException("every degree of a strategy is at least 1");
      }
    }

    Layout withShard(int ranks) {
      return new Layout(
          data, ranks, tensor, sequenceParallel, pipeline, virtualStages, context, expert);
    }

    Layout withVirtualStages(int chunks) {
      return new Layout(data, shard, tensor, sequenceParallel, pipeline, chunks, context, expert);
    }
  }

  public Strategy {
    if (microBatch < 1 || accumulation < 1) {
      throw new IllegalArgumentException("a step has at least one micro-batch of one sequence");
    }
  }

  /// Plain data parallelism of this kind over all ranks.
  public static Strategy data(Sharding sharding, int ranks, int microBatch) {
    return new Strategy(
        sharding,
        new Layout(ranks, ranks, 1, false, 1, 1, 1, 1),
        microBatch,
        1,
        Checkpointing.NONE,
        true,
        Offload.NONE);
  }

  public Strategy with(Checkpointing other) {
    return new Strategy(
        sharding, layout, microBatch, accumulation, other, reshardAfterForward, offload);
  }

  public Strategy withReshard(boolean reshard) {
    return new Strategy(
        sharding, layout, microBatch, accumulation, checkpointing, reshard, offload);
  }

  public Strategy with(Offload other) {
    return new Strategy(
        sharding, layout, microBatch, accumulation, checkpointing, reshardAfterForward, other);
  }

  public Strategy withMicroBatch(int sequences, int microBatches) {
    return new Strategy(
        sharding, layout, sequences, microBatches, checkpointing, reshardAfterForward, offload);
  }

  public Strategy withVirtualStages(int chunks) {
    return with(layout.withVirtualStages(chunks));
  }

  public Strategy withShard(int ranks) {
    return with(layout.withShard(ranks));
  }

  private Strategy with(Layout other) {
    return new Strategy(
        sharding, other, microBatch, accumulation, checkpointing, reshardAfterForward, offload);
  }

  public int data() {
    return layout.data();
  }

  public int shard() {
    return layout.shard();
  }

  /// Whether every rank runs whole layers on whole sequences, as the program is written.
  public boolean keepsLayersWhole() {
    return layout.tensor() == 1 && layout.pipeline() == 1 && layout.context() == 1;
  }

  public int tensor() {
    return layout.tensor();
  }

  public boolean sequenceParallel() {
    return layout.sequenceParallel();
  }

  public int pipeline() {
    return layout.pipeline();
  }

  public int virtualStages() {
    return layout.virtualStages();
  }

  public int context() {
    return layout.context();
  }

  public int expert() {
    return layout.expert();
  }

  /// Ranks that hold the same part of the model: replicas and the parts of a sequence.
  public int dataRanks() {
    return data() * context();
  }

  public int gpus() {
    return data() * tensor() * pipeline() * context();
  }

  /// Sequences a step over all replicas.
  public long globalBatch() {
    return (long) data() * microBatch * accumulation;
  }

  public boolean isHybrid() {
    return sharding.shardsParameters() && shard() < dataRanks();
  }

  /// `FSDP2 64, TP 8, PP 2x3, CP 2, batch 1x8, ckpt`.
  public String describe() {
    List<String> parts = new ArrayList<>();
    String name =
        isHybrid()
            ? sharding.text() + " hybrid " + (dataRanks() / shard()) + "x" + shard()
            : sharding == Sharding.NONE ? sharding.text() : sharding.text() + " " + dataRanks();
    if (sharding.shardsParameters() && !reshardAfterForward) {
      name += " no reshard";
    }
    if (sharding != Sharding.NONE || gpus() == 1) {
      parts.add(name);
    }
    if (tensor() > 1) {
      parts.add("TP " + tensor());
    }
    if (pipeline() > 1) {
      parts.add("PP " + pipeline() + (virtualStages() > 1 ? "x" + virtualStages() : ""));
    }
    if (context() > 1) {
      parts.add("CP " + context());
    }
    if (expert() > 1) {
      parts.add("EP " + expert());
    }
    parts.add("batch " + microBatch + (accumulation > 1 ? "x" + accumulation : ""));
    if (checkpointing != Checkpointing.NONE) {
      parts.add(checkpointing == Checkpointing.FULL ? "ckpt" : "selective ckpt");
    }
    if (offload.any()) {
      parts.add(offload.text());
    }
    return String.join(", ", parts);
  }
}
