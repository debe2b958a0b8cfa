package dev.pitwall.scale;

import dev.pitwall.hardware.CollectiveCosts;
import dev.pitwall.hardware.CollectiveKind;
import dev.pitwall.hardware.Network;
import dev.pitwall.hardware.RankGroup;

/// The time of one step in closed form, from the symmetry of layers and micro-batches: every layer
/// takes what one layer takes, so a schedule repeats and its steady state can be written down. Fast
/// enough to try thousands of configurations; the finalists are simulated node by node
/// (`SimulatedStep`), which agrees with this where the symmetry holds.
///
/// Sources: mechanics of FSDP and DDP from PyTorch 2.13 (`torch/distributed/fsdp`,
/// `torch/nn/parallel/distributed.py`); pipeline schedules from Megatron-LM (arXiv 2104.04473):
/// micro-batches x slowest stage + (stages - 1) / chunks x mean stage.
public final class StepCosts {
  /// Adam reads and writes state, master and weights and reads gradients.
  private static final double OPTIMIZER_PASSES = 2;

  /// Share of expert all-to-all that is exposed.
  private static final double EXPERT_EXPOSED = 0.6;

  /// Adam on a CPU moves about 30 bytes of host memory for each parameter (research 2.8: read p, m,
  /// v, g; write p, m, v and a half-width copy).
  static final double CPU_ADAM_BYTES = 30;

  /// NVMe optimizer traffic for each parameter: 12 bytes read, 12 written (fp32 master and
  /// moments).
  static final double NVME_BYTES = 12;

  private final ModelShape model;
  private final Cluster cluster;
  private final Strategy strategy;
  private final Recipe recipe;
  private final LayerCosts layerCosts;
  private final CollectiveCosts collectives = CollectiveCosts.fitted();

  public StepCosts(ModelShape model, Cluster cluster, Strategy strategy, Recipe recipe) {
    this.model = model;
    this.cluster = cluster;
    this.strategy = strategy;
    this.recipe = recipe;
    this.layerCosts = new LayerCosts(model, cluster.gpu(), strategy, recipe);
  }

  LayerCosts layerCosts() {
    return layerCosts;
  }

  /// The time of a step in steady state.
  public StepTime step() {
    LayerCosts.Times layer = layerCosts.layer();
    double layersOfStage = layerCosts.layersOfStage();
    int micro = strategy.accumulation();
    double tensorForward = tensorForward() + expertForward();
    double tensorBackward =
        tensorForward * (strategy.checkpointing() == Checkpointing.FULL ? 2 : 1);
    double context = contextForward(layer) + contextBackward(layer);
    double gpuLayer = layer.forward() + layer.backward() + layer.recompute();
    double hostLayer = layer.hostForward() + layer.hostBackward();
    double head = layerCosts.head();
    double stageCompute = layersOfStage * gpuLayer;
    double stageHost = layersOfStage * Math.max(0, hostLayer - gpuLayer);
    double stageTensor = layersOfStage * (tensorForward + tensorBackward + context);
    double mean = stageCompute + stageHost + stageTensor;
    double compute = micro * (stageCompute + head);
    double bubble =
        (strategy.pipeline() - 1.0) / strategy.virtualStages() * mean + pipelineTransfers(micro);
    double data = data(layer, layersOfStage, micro);
    return new StepTime(
        compute,
        micro * stageHost,
        bubble,
        micro * stageTensor,
        data,
        optimizer(),
        offload(micro),
        recipe.stack().stepMillis() * 1e-3);
  }

  double tensorForward() {
    if (strategy.tensor() == 1) {
      return 0;
    }
    double bytes = layerCosts.tokens() * model.hidden() * 2;
    RankGroup group = RankGroup.strided(strategy.tensor(), 1, cluster.gpusPerNode());
    Network network = cluster.network();
    double each =
        strategy.sequenceParallel()
            ? collectives.seconds(CollectiveKind.ALL_GATHER, bytes, group, network)
                + collectives.seconds(CollectiveKind.REDUCE_SCATTER, bytes, group, network)
            : collectives.seconds(CollectiveKind.ALL_REDUCE, bytes, group, network);
    return 2 * each * (1 - recipe.stack().tensorOverlap());
  }

  /// Exposed transfers of ring attention: while a rank works on one block the next arrives. The
  /// backward moves the gradients of keys and values too, and the last transfer takes them home.
  double contextForward(LayerCosts.Times layer) {
    double hiding = layer.attention() / strategy.context();
    return (strategy.context() - 1) * Math.max(0, contextTransfer() - hiding);
  }

  double contextBackward(LayerCosts.Times layer) {
    if (strategy.context() == 1) {
      return 0;
    }
    double transfer = 2 * contextTransfer();
    double hiding = layer.attentionBackward() / strategy.context();
    return (strategy.context() - 1) * Math.max(0, transfer - hiding) + transfer;
  }

  double expertForward() {
    if (strategy.expert() == 1 || !model.experts().any()) {
      return 0;
    }
    double bytes =
        layerCosts.tokens() * model.experts().perToken() * model.hidden() * 2 / strategy.tensor();
    double each =
        collectives.seconds(
            CollectiveKind.ALL_TO_ALL,
            bytes,
            RankGroup.strided(strategy.expert(), strategy.tensor(), cluster.gpusPerNode()),
            cluster.network());
    return 2 * each * model.expertLayerShare() * EXPERT_EXPOSED;
  }

  private double pipelineTransfers(int micro) {
    if (strategy.pipeline() == 1) {
      return 0;
    }
    double exposed = strategy.virtualStages() > 1 ? 0.3 * strategy.virtualStages() : 1;
    return 2 * pipelineTransfer() * (micro * exposed * 0.5 + strategy.pipeline() - 1);
  }

  /// The activations of one micro-batch on their way to the next stage.
  double pipelineTransfer() {
    double bytes =
        layerCosts.tokens()
            * model.hidden()
            * 2
            / (strategy.sequenceParallel() ? strategy.tensor() : 1);
    int stride = strategy.gpus() / strategy.pipeline();
    return collectives.seconds(
        CollectiveKind.SEND_RECEIVE,
        bytes,
        RankGroup.strided(2, stride, cluster.gpusPerNode()),
        cluster.network());
  }

  /// Parameters that one GPU computes with, before any sharding over data ranks.
  double localParameters() {
    return localDenseParameters() + localExpertParameters();
  }

  private double localDenseParameters() {
    double experts =
        model.experts().any()
            ? model.allLayers() * model.expertLayerShare() * model.expertLayerParameters()
            : 0;
    return (model.parameters() - experts) / strategy.tensor() / strategy.pipeline();
  }

  private double localExpertParameters() {
    if (!model.experts().any()) {
      return 0;
    }
    double experts = model.allLayers() * model.expertLayerShare() * model.expertLayerParameters();
    return experts
        / strategy.pipeline()
        / (strategy.expert() > 1 ? strategy.expert() : strategy.tensor());
  }

  /// One rank's keys and values of one layer on their way to the next rank of the ring.
  double contextTransfer() {
    if (strategy.context() == 1) {
      return 0;
    }
    double bytes = layerCosts.tokens() * 2.0 * model.keyValueWidth() / strategy.tensor() * 2;
    RankGroup ring =
        RankGroup.strided(strategy.context(), strategy.tensor(), cluster.gpusPerNode());
    RankGroup neighbours =
        ring.ranksInNode() < ring.ranks()
            ? new RankGroup(2, 1, ring.groupsSharingNode())
            : new RankGroup(2, 2, 1);
    return collectives.seconds(CollectiveKind.SEND_RECEIVE, bytes, neighbours, cluster.network());
  }

  private double trainedShare() {
    return recipe.tuning() == Recipe.Tuning.FULL ? 1 : 0.01;
  }

  double data(LayerCosts.Times layer, double layersOfStage, int micro) {
    int ranks = strategy.dataRanks();
    if (ranks == 1 || strategy.sharding() == Sharding.NONE) {
      return 0;
    }
    return strategy.sharding().shardsParameters()
        ? fullyShardedExposure(layer, layersOfStage, micro)
        : replicatedExposure(layer, layersOfStage, ranks)
            // ZeRO-2 keeps only shards of gradients, so it reduces in every micro-batch.
            * (strategy.sharding() == Sharding.ZERO2 ? micro : 1);
  }

  private double replicatedExposure(LayerCosts.Times layer, double layersOfStage, int ranks) {
    Recipe.StateBytes states = recipe.states();
    double dense =
        replicatedTraffic(
            localDenseParameters() * trainedShare(),
            states,
            RankGroup.strided(ranks, strategy.tensor(), cluster.gpusPerNode()));
    double experts = 0;
    if (model.experts().any()) {
      int copies = Math.max(1, ranks / Math.max(1, strategy.expert()));
      experts =
          replicatedTraffic(
              localExpertParameters() * trainedShare(),
              states,
              RankGroup.strided(
                  copies, strategy.tensor() * strategy.expert(), cluster.gpusPerNode()));
    }
    double traffic = dense + experts;
    double window =
        layersOfStage
            * (Math.max(layer.backward() + layer.recompute(), layer.hostBackward())
                + (strategy.sharding().shardsOptimizer() ? layer.forward() : 0))
            * recipe.stack().dataOverlap();
    double tail = traffic / Math.max(4, layersOfStage);
    double hidden = Math.min(window, Math.max(0, traffic - tail));
    double contention =
        contention(
            CollectiveKind.REDUCE_SCATTER,
            localParameters() / layersOfStage * states.reduce(),
            RankGroup.strided(ranks, strategy.tensor(), cluster.gpusPerNode()));
    return traffic - hidden + hidden * contention;
  }

  private double contention(CollectiveKind kind, double bytes, RankGroup group) {
    return collectives.contention(kind, bytes, group, cluster.network(), cluster.gpu());
  }

  private double replicatedTraffic(double parameters, Recipe.StateBytes states, RankGroup group) {
    Network network = cluster.network();
    if (strategy.sharding().shardsOptimizer()) {
      double reduce =
          collectives.seconds(
              CollectiveKind.REDUCE_SCATTER, parameters * states.reduce(), group, network);
      return reduce
          + collectives.seconds(
              CollectiveKind.ALL_GATHER, parameters * states.gather(), group, network);
    }
    return collectives.seconds(
        CollectiveKind.ALL_REDUCE, parameters * states.reduce(), group, network);
  }

  /// One FSDP unit is one layer. Gathers and reductions share a communicator, so they queue:
  /// forward is the larger of compute and gathers, backward the larger of compute and gathers plus
  /// reductions, plus the first gather and the last reduction, which nothing hides.
  private double fullyShardedExposure(LayerCosts.Times layer, double layersOfStage, int micro) {
    Recipe.StateBytes states = recipe.states();
    double unit = localParameters() / layersOfStage;
    int shard = strategy.shard();
    RankGroup group = RankGroup.strided(shard, strategy.tensor(), cluster.gpusPerNode());
    Network network = cluster.network();
    double gather =
        collectives.seconds(CollectiveKind.ALL_GATHER, unit * states.gather(), group, network);
    double scatter =
        collectives.seconds(
            CollectiveKind.REDUCE_SCATTER, unit * trainedShare() * states.reduce(), group, network);
    double forward = Math.max(layer.forward(), layer.hostForward());
    double backward = Math.max(layer.backward() + layer.recompute(), layer.hostBackward());
    double gatherAgain = strategy.reshardAfterForward() ? gather : 0;
    double exposedForward = Math.max(0, gather - forward) * layersOfStage;
    double exposedBackward = Math.max(0, gatherAgain + scatter - backward) * layersOfStage;
    double hidden =
        layersOfStage * (Math.min(gather, forward) + Math.min(gatherAgain + scatter, backward));
    double perMicro =
        exposedForward
            + exposedBackward
            + gather
            + scatter
            + hidden * contention(CollectiveKind.ALL_GATHER, unit * states.gather(), group);
    double replicas = 0;
    if (strategy.isHybrid()) {
      int copies = strategy.dataRanks() / shard;
      double reduce =
          collectives.seconds(
              CollectiveKind.ALL_REDUCE,
              unit / shard * states.reduce(),
              RankGroup.strided(copies, strategy.tensor() * shard, cluster.gpusPerNode()),
              network);
      replicas = reduce + Math.max(0, reduce - backward) * layersOfStage;
    }
    return micro * perMicro + replicas;
  }

  double optimizer() {
    double parameters = localParameters() * trainedShare();
    if (strategy.offload().any()) {
      return 0;
    }
    int over = strategy.sharding().shardsOptimizer() ? strategy.shard() : 1;
    Recipe.StateBytes states = recipe.states();
    double bytes =
        OPTIMIZER_PASSES * (states.optimizer() + states.master() + states.weights())
            + states.gradients();
    return parameters
        / over
        * bytes
        / (cluster.gpu().memoryBytesPerSecond() * LayerCosts.MEMORY_SHARE);
  }

  /// Gradients go down and parameters come up over PCIe, the host runs Adam on its share of memory
  /// bandwidth, drives stream the state; parameters on the host come up for each micro-batch twice.
  private double offload(int micro) {
    Offload offload = strategy.offload();
    if (!offload.any()) {
      return 0;
    }
    int over = strategy.sharding().shardsOptimizer() ? strategy.shard() : 1;
    double parameters = localParameters() / over;
    Cluster.Host host = cluster.host();
    double pcie = cluster.gpu().pcieBytesPerSecond() * 0.85;
    int sharing = Math.min(cluster.gpusPerNode(), strategy.gpus());
    double seconds = parameters * 2 * 2 / pcie;
    seconds += parameters * CPU_ADAM_BYTES * sharing / host.memoryBytesPerSecond();
    if (offload.offloadsParameters()) {
      double upEachPass = parameters * 2 / pcie;
      seconds += micro * 2 * upEachPass * 0.5;
    }
    if (offload.usesNvme()) {
      double drives =
          parameters
              * sharing
              * (NVME_BYTES / Math.max(1, host.nvmeReadBytesPerSecond())
                  + NVME_BYTES / Math.max(1, host.nvmeWriteBytesPerSecond()));
      seconds = Math.max(seconds, drives);
    }
    return seconds;
  }
}
