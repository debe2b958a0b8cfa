package dev.pitwall.scale;

import dev.pitwall.hardware.GpuSpec;
import dev.pitwall.hardware.Precision;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// The memory of one GPU, by tensor and by moment of the step.
///
/// The peak is the largest of four moments, since which one it is depends on the job: the loss (all
/// activations and the logits), the backward of a late layer (activations and the first gradients),
/// the backward of the first layer (all gradients), and the optimizer step. Activations are counted
/// tensor by tensor as PyTorch's autograd keeps them ([Activations]); gathered parameters as FSDP2
/// holds them (`_fsdp_param_group.py`, PyTorch 2.13): the unit at work, the one prefetched, one
/// reduce-scatter input in flight, the root until the end.
public final class MemoryModel {
  /// What the driver leaves of the memory on the label, as PyTorch's out-of-memory messages print
  /// it: 79.2 GiB of an "80 GB" part, 39.4 of a "40 GB" one, 23.65 of a "24 GB" one.
  private static final double USABLE_SHARE = 0.99;

  private static final double USABLE_SHARE_OF_SMALL_PARTS = 0.985;
  private static final double SMALL_PART_BYTES = 64.0 * (1L << 30);

  /// CUDA context with the kernels of PyTorch loaded, as nvidia-smi shows it (0.3 to 0.6 GB).
  private static final double CONTEXT_BYTES = 0.5e9;

  /// Buffers of one NCCL communicator at default channels.
  private static final double COMMUNICATOR_BYTES = 0.3e9;

  /// cuBLAS workspaces (32 MiB on Hopper) and small buffers.
  private static final double WORKSPACE_BYTES = 40 * (1L << 20);

  /// What the allocator holds beyond the peak: rounding and holes, measured in h200/memory.
  private static final double HOLES_SHARE = 0.08;

  /// Further holes under FSDP, in reduce-scatter inputs of one unit: measured in h200/memory.
  private static final double HOLES_UNITS = 3.2;

  private final ModelShape model;
  private final GpuSpec gpu;
  private final Strategy strategy;
  private final Recipe recipe;

  public MemoryModel(ModelShape model, GpuSpec gpu, Strategy strategy, Recipe recipe) {
    this.model = model;
    this.gpu = gpu;
    this.strategy = strategy;
    this.recipe = recipe;
  }

  public MemoryEstimate estimate() {
    Parts parts = new Parts();
    List<MemoryEstimate.Moment> moments = new ArrayList<>();
    List<MemoryEstimate.Owner> best = List.of();
    String bestName = "";
    double peak = -1;
    for (NamedOwners moment :
        List.of(
            new NamedOwners("loss", parts.atLoss()),
            new NamedOwners("backward of the last layer", parts.atLastLayer()),
            new NamedOwners("backward of the first layer", parts.atFirstLayer()),
            new NamedOwners("optimizer step", parts.atOptimizer()))) {
      double sum = moment.owners().stream().mapToDouble(MemoryEstimate.Owner::bytes).sum();
      moments.add(new MemoryEstimate.Moment(moment.name(), sum));
      if (sum > peak) {
        peak = sum;
        best = moment.owners();
        bestName = moment.name();
      }
    }
    double unit =
        strategy.sharding().shardsParameters()
            ? recipe.states().reduce() * parts.unitParameters
            : 0;
    double reserved = Math.min(peak * (1 + HOLES_SHARE) + HOLES_UNITS * unit, peak * 1.6);
    int communicators =
        (strategy.dataRanks() > 1 ? 1 : 0)
            + (strategy.tensor() > 1 ? 1 : 0)
            + (strategy.pipeline() > 1 ? 1 : 0);
    double used = reserved + CONTEXT_BYTES + communicators * COMMUNICATOR_BYTES;
    return new MemoryEstimate(
        peak,
        reserved,
        used,
        gpu.memoryBytes()
            * (gpu.memoryBytes() < SMALL_PART_BYTES ? USABLE_SHARE_OF_SMALL_PARTS : USABLE_SHARE),
        bestName,
        best.stream()
            .filter(owner -> owner.bytes() > 0)
            .sorted(Comparator.comparingDouble(MemoryEstimate.Owner::bytes).reversed())
            .toList(),
        moments);
  }

  private record NamedOwners(String name, List<MemoryEstimate.Owner> owners) {}

  private final class Parts {
    private final Recipe.StateBytes states = recipe.states();
    private final StepCosts costs =
        new StepCosts(model, Cluster.reference(gpu, 1), strategy, recipe);
    private final double local = costs.localParameters();
    private final Activations activations = new Activations(model, strategy, recipe);
    private final double layers = (double) model.allLayers() / strategy.pipeline();
    private final boolean full = recipe.tuning() == Recipe.Tuning.FULL;
    private final double ends =
        (model.embeddingParameters() + model.headParameters())
            / strategy.tensor()
            / (strategy.pipeline() > 1 ? 2 : 1);
    private final double layerTotal = Math.max(0, local - ends);
    final double unitParameters = layerTotal / Math.max(1, layers);
    private final double inFlight = microBatchesInFlight();
    private final int shard = strategy.shard();
    private final boolean fullySharded = strategy.sharding().shardsParameters();

    /// 1F1B keeps as many micro-batches as there are stages after the first; the first stage holds
    /// the most. Interleaving adds a share (Megatron `theoretical_memory_usage.py`).
    private double microBatchesInFlight() {
      int p = strategy.pipeline();
      if (p == 1) {
        return 1;
      }
      double penalty =
          strategy.virtualStages() > 1 ? 1 + (p - 1.0) / (p * strategy.virtualStages()) : 1;
      return Math.min(strategy.accumulation(), p) * penalty;
    }

    private double weights() {
      if (strategy.offload().offloadsParameters()) {
        return 0;
      }
      double frozen =
          switch (recipe.tuning()) {
            case FULL -> states.weights();
            case LORA, LORA_EMBEDDINGS -> 2;
            case QLORA -> 0.56; // Four bits, one scale for 64 values (arXiv 2305.14314).
          };
      double embeddingAtFull = recipe.tuning() == Recipe.Tuning.QLORA ? ends * (2 - frozen) : 0;
      return (local * frozen + embeddingAtFull) / (fullySharded ? shard : 1);
    }

    private double trained() {
      return full ? local : adapterParameters();
    }

    /// Rank 8 to 64 on the attention projections, the usual recipes: 0.3 % of the parameters; and
    /// copies of the embeddings where those train.
    private double adapterParameters() {
      return local * 0.003 + (recipe.tuning() == Recipe.Tuning.LORA_EMBEDDINGS ? ends : 0);
    }

    private double optimizer() {
      if (strategy.offload().any()) {
        return 0;
      }
      double bytes = full ? states.master() + states.optimizer() : 8;
      return ownTrained() * bytes;
    }

    /// Trained parameters whose optimizer state one rank holds.
    private double ownTrained() {
      return switch (strategy.sharding()) {
        case NONE, DDP -> trained();
        case ZERO1, ZERO2 -> ZeroPartitions.flat(Math.round(trained()), shard);
        case ZERO3 -> ZeroPartitions.ofParameter(Math.round(trained()), shard);
        case FSDP1, FSDP2 -> trained() / shard;
      };
    }

    private double gradientShare() {
      return strategy.sharding().shardsGradients() ? 1.0 / shard : 1;
    }

    private double gradientBytes() {
      return full ? states.gradients() : 4;
    }

    private double gradients() {
      return strategy.offload().any() && strategy.sharding().shardsGradients()
          ? 0
          : trained() * gradientBytes() * gradientShare();
    }

    /// Gradients that outlive the backward: kept between micro-batches, or in DDP's buckets.
    private double standingGradients() {
      boolean buckets =
          strategy.sharding() == Sharding.DDP
              && strategy.data() > 1
              && full
              && recipe.stack().name().equals("pytorch-fsdp");
      boolean mainGradients = recipe.stack().name().startsWith("megatron");
      return buckets || strategy.accumulation() > 1 || mainGradients ? gradients() : 0;
    }

    private double buckets() {
      return switch (strategy.sharding()) {
        // reduce_bucket_size and allgather_bucket_size of 5e8 elements in half precision.
        case ZERO1, ZERO2 ->
            recipe.stack().name().equals("huggingface") ? Math.min(5e8, trained()) * 2 * 2 : 0;
        case ZERO3 -> Math.min(1e9, local) * 2 + Math.min(5e8, trained()) * 2;
        default -> 0;
      };
    }

    private double root() {
      return fullySharded && strategy.pipeline() == 1 ? ends * states.gather() : 0;
    }

    private double gathered(double units) {
      if (!fullySharded || strategy.sharding() == Sharding.ZERO3) {
        return 0;
      }
      return strategy.reshardAfterForward()
          ? units * unitParameters * states.gather()
          : layerTotal * states.gather() + (units > 1 ? unitParameters * states.gather() : 0);
    }

    private double castWeights() {
      boolean autocast =
          states.weights() == 4
              && !fullySharded
              && (recipe.matmul() == Precision.BF16 || recipe.matmul() == Precision.FP16);
      return autocast ? (layerTotal + ends / 2) * 2 : 0;
    }

    List<MemoryEstimate.Owner> atLoss() {
      return owners(
          standingGradients(),
          gathered(2),
          activations.kept() * layers * inFlight,
          activations.loss(),
          0,
          0,
          castWeights());
    }

    List<MemoryEstimate.Owner> atLastLayer() {
      return owners(
          Math.max(standingGradients(), trained() * gradientBytes() * gradientShare() / layers),
          gathered(2),
          activations.kept() * Math.max(0, layers * inFlight - 1) + activations.whole(),
          headGradient(),
          unitGradients(),
          activations.working(),
          castWeights());
    }

    List<MemoryEstimate.Owner> atFirstLayer() {
      return owners(
          Math.max(standingGradients(), gradients()),
          gathered(1),
          activations.whole() + activations.kept() * layers * Math.max(0, inFlight - 1),
          headGradient(),
          unitGradients() + reduceInput(),
          activations.working(),
          castWeights());
    }

    List<MemoryEstimate.Owner> atOptimizer() {
      // The foreach implementation of Adam makes temporaries of the size of the updated shard.
      double temporaries =
          full && !strategy.offload().any() && !recipe.stack().name().startsWith("megatron")
              ? ownTrained() * states.weights()
              : 0;
      return owners(gradients(), root(), 0, 0, 0, temporaries, 0);
    }

    private double headGradient() {
      return fullySharded && full ? ends * states.gather() / 2 : 0;
    }

    /// Gradients of one unit as autograd leaves them.
    private double unitGradients() {
      return fullySharded && full ? unitParameters * 2 : 0;
    }

    /// The reduce-scatter input of the unit before, still in flight, and its output.
    private double reduceInput() {
      return fullySharded && full ? unitParameters * states.reduce() * (1 + 1.0 / shard) : 0;
    }

    private List<MemoryEstimate.Owner> owners(
        double gradients,
        double gathered,
        double kept,
        double loss,
        double reduce,
        double working,
        double cast) {
      return List.of(
          new MemoryEstimate.Owner("parameters", weights()),
          new MemoryEstimate.Owner("optimizer state", optimizer()),
          new MemoryEstimate.Owner("gradients", gradients),
          new MemoryEstimate.Owner("gathered layers", gathered),
          new MemoryEstimate.Owner("gathered root unit", root()),
          new MemoryEstimate.Owner("activations", kept),
          new MemoryEstimate.Owner("logits and loss", loss),
          new MemoryEstimate.Owner("gradients being reduced", reduce),
          new MemoryEstimate.Owner("communication buckets", buckets()),
          new MemoryEstimate.Owner("half-precision weight copies", cast),
          new MemoryEstimate.Owner("temporaries", working),
          new MemoryEstimate.Owner("workspaces", WORKSPACE_BYTES));
    }
  }
}
