package dev.pitwall.scale;

import dev.pitwall.pass.scale.BlockingCollectivePass;
import dev.pitwall.pass.scale.LayeredStep;
import dev.pitwall.pass.scale.PipelineStep;
import dev.pitwall.pass.scale.RingAttentionPass;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The step of a model as execution graphs, from the cost model: of one rank, layer by layer, and
/// of all stages of a pipeline.
final class ModelGraphs {
  private final ModelShape model;
  private final Strategy strategy;
  private final Recipe recipe;
  private final StepCosts costs;

  ModelGraphs(ModelShape model, Cluster cluster, Strategy strategy, Recipe recipe) {
    this.model = model;
    this.strategy = strategy;
    this.recipe = recipe;
    this.costs = new StepCosts(model, cluster, strategy, recipe);
  }

  /// The step of one rank of the first stage as a graph, one unit a layer, with the collectives
  /// that its layers wait for: those of tensor, expert and context parallelism.
  LayeredStep layeredStep() {
    LayerCosts.Times layer = costs.layerCosts().layer();
    int layers = Math.max(1, (int) Math.round(costs.layerCosts().layersOfStage()));
    double head = costs.layerCosts().head();
    long ends =
        Math.round((model.embeddingParameters() + model.headParameters()) / strategy.tensor() / 2);
    List<LayeredStep.UnitTimes> units = new ArrayList<>();
    units.add(
        new LayeredStep.UnitTimes(
            "embedding", new long[] {ends}, false, 50_000, 20_000, 50_000, 20_000));
    long[] gradients = model.layerGradients(strategy.tensor());
    for (int i = 0; i < layers; i++) {
      units.add(
          new LayeredStep.UnitTimes(
              "layer " + i,
              gradients,
              true,
              nanos(layer.hostForward()),
              nanos(layer.forward()),
              nanos(layer.hostBackward()),
              nanos(layer.backward() + layer.recompute())));
    }
    units.add(
        new LayeredStep.UnitTimes(
            "head",
            new long[] {ends},
            false,
            100_000,
            nanos(head / 3),
            100_000,
            nanos(head * 2 / 3)));
    // Three micro-batches show the first, a middle and the last; the middle repeats.
    LayeredStep plain =
        LayeredStep.build(
            units,
            Math.min(3, strategy.accumulation()),
            200_000,
            nanos(costs.optimizer() + recipe.stack().stepMillis() * 1e-3));
    boolean recomputes = strategy.checkpointing() == Checkpointing.FULL;
    LayeredStep step =
        new RingAttentionPass(
                strategy.context(),
                nanos(costs.contextTransfer()),
                nanos(layer.attention()),
                nanos(layer.attentionBackward()))
            .apply(plain);
    step = new BlockingCollectivePass("nccl tensor", tensorCollectives(), recomputes).apply(step);
    return new BlockingCollectivePass("nccl expert", expertCollectives(), recomputes).apply(step);
  }

  private List<BlockingCollectivePass.Placed> tensorCollectives() {
    if (strategy.tensor() == 1) {
      return List.of();
    }
    long each = nanos(costs.tensorForward() / 2);
    String label = strategy.sequenceParallel() ? "reduce-scatter, all-gather" : "all-reduce";
    return List.of(
        new BlockingCollectivePass.Placed(label, each, true),
        new BlockingCollectivePass.Placed(label, each, false));
  }

  private List<BlockingCollectivePass.Placed> expertCollectives() {
    long each = nanos(costs.expertForward() / 2);
    return List.of(
        new BlockingCollectivePass.Placed("dispatch to experts", each, true),
        new BlockingCollectivePass.Placed("combine from experts", each, false));
  }

  /// The step of all stages of a pipeline, for as many micro-batches as asked.
  PipelineStep pipelineStep(int microBatches) {
    LayerCosts.Times layer = costs.layerCosts().layer();
    double tensorForward = costs.tensorForward() + costs.expertForward();
    double tensorBackward =
        tensorForward * (strategy.checkpointing() == Checkpointing.FULL ? 2 : 1);
    double head = costs.layerCosts().head();
    int places = strategy.pipeline() * strategy.virtualStages();
    int[] layers =
        layersOfChunks(
            Math.round(costs.layerCosts().layersOfStage() * strategy.pipeline()), places);
    List<PipelineStep.Chunk> chunks = new ArrayList<>();
    for (int place = 0; place < places; place++) {
      double headHere = place == places - 1 ? head : 0;
      chunks.add(
          new PipelineStep.Chunk(
              nanos(layers[place] * layer.hostForward()),
              nanos(
                  layers[place] * (layer.forward() + tensorForward + costs.contextForward(layer))
                      + headHere / 3),
              nanos(layers[place] * layer.hostBackward()),
              nanos(
                  layers[place]
                          * (layer.backward()
                              + layer.recompute()
                              + tensorBackward
                              + costs.contextBackward(layer))
                      + headHere * 2 / 3)));
    }
    return PipelineStep.build(
        chunks,
        strategy.pipeline(),
        microBatches,
        new PipelineStep.Surroundings(
            nanos(costs.pipelineTransfer()),
            strategy.virtualStages() > 1,
            nanos(costs.data(layer, costs.layerCosts().layersOfStage(), strategy.accumulation())),
            nanos(costs.optimizer() + recipe.stack().stepMillis() * 1e-3)));
  }

  /// Layers of each chunk: even, and where they do not divide, fewer at the ends, where embedding
  /// and head are.
  static int[] layersOfChunks(long layers, int chunks) {
    int[] counts = new int[chunks];
    Arrays.fill(counts, (int) (layers / chunks));
    int left = (int) (layers % chunks);
    for (int i = 0; i < left; i++) {
      counts[(1 + i) % chunks]++;
    }
    return counts;
  }

  private static long nanos(double seconds) {
    return Math.round(seconds * 1e9);
  }
}
