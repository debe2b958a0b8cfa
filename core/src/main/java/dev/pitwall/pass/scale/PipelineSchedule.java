package dev.pitwall.pass.scale;

import java.util.ArrayList;
import java.util.List;

/// In which order a pipeline rank works on its micro-batches: one forward, one backward (1F1B), and
/// interleaved where a rank holds several chunks of the model (arXiv 2104.04473, section 2.2;
/// `megatron/core/pipeline_parallel/schedules.py`).
public final class PipelineSchedule {
  /// A forward or backward of one micro-batch through one chunk of a rank.
  public record Work(boolean forward, int microBatch, int chunk) {}

  private PipelineSchedule() {}

  /// The work of a rank in order.
  ///
  /// @param chunks chunks of the model that each rank holds; above 1 `microBatches` must be a
  ///     multiple of `ranks`
  public static List<Work> of(int rank, int ranks, int chunks, int microBatches) {
    if (chunks > 1 && microBatches % ranks != 0) {
      throw new IllegalArgumentException(
          "an interleaved schedule needs micro-batches in multiples of the ranks");
    }
    int total = microBatches * chunks;
    int ahead = chunks == 1 ? ranks - rank - 1 : 2 * (ranks - rank - 1) + (chunks - 1) * ranks;
    int warmup = Math.min(total, ahead);
    List<Work> order = new ArrayList<>();
    for (int i = 0; i < warmup; i++) {
      order.add(forward(i, ranks, chunks));
    }
    for (int i = warmup; i < total; i++) {
      order.add(forward(i, ranks, chunks));
      order.add(backward(i - warmup, ranks, chunks));
    }
    for (int i = total - warmup; i < total; i++) {
      order.add(backward(i, ranks, chunks));
    }
    return order;
  }

  private static Work forward(int index, int ranks, int chunks) {
    return new Work(true, microBatch(index, ranks, chunks), chunk(index, ranks, chunks));
  }

  private static Work backward(int index, int ranks, int chunks) {
    int chunk = chunks - 1 - chunk(index, ranks, chunks);
    return new Work(false, microBatch(index, ranks, chunks), chunk);
  }

  /// Micro-batches go through the chunks in groups of as many as there are ranks.
  private static int microBatch(int index, int ranks, int chunks) {
    return chunks == 1 ? index : index / (ranks * chunks) * ranks + index % ranks;
  }

  private static int chunk(int index, int ranks, int chunks) {
    return chunks == 1 ? 0 : index % (ranks * chunks) / ranks;
  }
}
