package dev.pitwall.pass.scale;

import dev.pitwall.graph.EdgeKind;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.GraphBuilder;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.graph.Resource;
import java.util.ArrayList;
import java.util.List;

/// The step of all ranks of a pipeline as one graph: each rank's thread and compute stream with its
/// work in the order of the schedule, and the activations and gradients that go between neighbours.
///
/// ```
///   rank 0   [f 0][f 1]          [b 0][f 2][b 1]     [b 2][optimizer]
///   rank 1        [f 0][b 0][f 1][b 1][f 2][b 2]          [optimizer]
/// ```
///
/// Ranks meet before the optimizer, where the norm of all gradients is taken.
///
/// @param computeStreams resource of each rank's kernels
public record PipelineStep(ExecutionGraph graph, int[] computeStreams) {

  /// Times of one chunk of the model for one micro-batch.
  public record Chunk(
      long forwardHostNanos,
      long forwardDeviceNanos,
      long backwardHostNanos,
      long backwardDeviceNanos) {}

  /// What goes on beside the chunks.
  ///
  /// @param transferNanos the activations of a micro-batch to the next rank
  /// @param transfersHidden whether a rank works on while it sends (Megatron's
  ///     `overlap_p2p_communication`, with the interleaved schedule)
  /// @param reductionNanos exposed reduction of gradients over the replicas of a rank
  /// @param optimizerNanos update of a rank's parameters
  public record Surroundings(
      long transferNanos, boolean transfersHidden, long reductionNanos, long optimizerNanos) {}

  /// The graph of a step.
  ///
  /// @param chunks in order of the forward: chunk `c` of rank `r` is at `c * ranks + r`
  public static PipelineStep build(
      List<Chunk> chunks, int ranks, int microBatches, Surroundings around) {
    return new Assembly(chunks, ranks, microBatches, around).build();
  }

  private static final class Assembly {
    private final GraphBuilder builder = new GraphBuilder();
    private final List<Chunk> chunks;
    private final int ranks;
    private final int microBatches;
    private final Surroundings around;
    private final int[] computeStreams;
    private final int[][] forwardKernels;
    private final int[][] backwardKernels;

    Assembly(List<Chunk> chunks, int ranks, int microBatches, Surroundings around) {
      this.chunks = chunks;
      this.ranks = ranks;
      this.microBatches = microBatches;
      this.around = around;
      computeStreams = new int[ranks];
      forwardKernels = new int[chunks.size()][microBatches];
      backwardKernels = new int[chunks.size()][microBatches];
    }

    PipelineStep build() {
      int[] hosts = new int[ranks];
      int[] lastKernels = new int[ranks];
      for (int rank = 0; rank < ranks; rank++) {
        hosts[rank] = builder.resource(Resource.thread("rank " + rank));
        computeStreams[rank] = builder.resource(Resource.stream("compute " + rank, rank));
        lastKernels[rank] = work(rank, hosts[rank]);
      }
      for (int rank = 0; rank < ranks; rank++) {
        transfers(rank);
      }
      optimizers(hosts, lastKernels);
      return new PipelineStep(builder.build(), computeStreams);
    }

    private int work(int rank, int host) {
      int kernel = -1;
      for (PipelineSchedule.Work work : order(rank)) {
        int at = work.chunk() * ranks + rank;
        Chunk chunk = chunks.get(at);
        boolean forward = work.forward();
        String label = (forward ? "forward " : "backward ") + work.microBatch();
        int launch =
            builder.add(
                NodeKind.LAUNCH,
                host,
                forward ? chunk.forwardHostNanos() : chunk.backwardHostNanos(),
                label);
        kernel =
            builder.add(
                NodeKind.KERNEL,
                computeStreams[rank],
                forward ? chunk.forwardDeviceNanos() : chunk.backwardDeviceNanos(),
                label);
        builder.edge(launch, kernel, EdgeKind.LAUNCH, LayeredStep.LAUNCH_LATENCY_NANOS);
        (forward ? forwardKernels : backwardKernels)[at][work.microBatch()] = kernel;
      }
      return kernel;
    }

    private List<PipelineSchedule.Work> order(int rank) {
      return PipelineSchedule.of(rank, ranks, chunks.size() / ranks, microBatches);
    }

    private void transfers(int rank) {
      int activations = builder.resource(Resource.stream("activations of " + rank, rank));
      int gradients = builder.resource(Resource.stream("gradients of " + rank, rank));
      for (PipelineSchedule.Work work : order(rank)) {
        int at = work.chunk() * ranks + rank;
        int micro = work.microBatch();
        if (work.forward() && at + 1 < chunks.size()) {
          transfer(activations, forwardKernels[at][micro], forwardKernels[at + 1][micro]);
        } else if (!work.forward() && at > 0) {
          transfer(gradients, backwardKernels[at][micro], backwardKernels[at - 1][micro]);
        }
      }
    }

    private void transfer(int stream, int from, int to) {
      int sent = builder.add(NodeKind.COLLECTIVE, stream, around.transferNanos(), "send");
      builder.edge(from, sent, EdgeKind.EVENT_WAIT, 0);
      builder.edge(sent, to, EdgeKind.EVENT_WAIT, 0);
      int next = builder.nextOnResource(from);
      if (!around.transfersHidden() && next >= 0) {
        builder.edge(sent, next, EdgeKind.EVENT_WAIT, 0);
      }
    }

    private void optimizers(int[] hosts, int[] lastKernels) {
      List<Integer> reductions = new ArrayList<>();
      for (int rank = 0; rank < ranks; rank++) {
        int stream = builder.resource(Resource.stream("replicas of " + rank, rank));
        int reduction =
            builder.add(NodeKind.COLLECTIVE, stream, around.reductionNanos(), "reduce gradients");
        builder.edge(lastKernels[rank], reduction, EdgeKind.EVENT_WAIT, 0);
        reductions.add(reduction);
      }
      for (int rank = 0; rank < ranks; rank++) {
        int launch = builder.add(NodeKind.LAUNCH, hosts[rank], 0, "optimizer");
        int update =
            builder.add(
                NodeKind.KERNEL, computeStreams[rank], around.optimizerNanos(), "optimizer");
        builder.edge(launch, update, EdgeKind.LAUNCH, LayeredStep.LAUNCH_LATENCY_NANOS);
        for (int reduction : reductions) {
          builder.edge(reduction, update, EdgeKind.EVENT_WAIT, 0);
        }
      }
    }
  }
}
