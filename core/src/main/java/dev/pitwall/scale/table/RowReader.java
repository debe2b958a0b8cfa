package dev.pitwall.scale.table;

import dev.pitwall.hardware.GpuSpec;
import dev.pitwall.hardware.GpuSpecs;
import dev.pitwall.hardware.Precision;
import dev.pitwall.scale.Checkpointing;
import dev.pitwall.scale.Cluster;
import dev.pitwall.scale.MemoryModel;
import dev.pitwall.scale.ModelShape;
import dev.pitwall.scale.Offload;
import dev.pitwall.scale.Recipe;
import dev.pitwall.scale.Sharding;
import dev.pitwall.scale.SoftwareStack;
import dev.pitwall.scale.Strategy;
import dev.pitwall.table.DataTable;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads one row of a table of published runs into a [DescribedRun]: from the columns where they
/// speak, else from the text of the strategy, else from what the framework did at its time. Never
/// from what was measured.
final class RowReader {
  /// A row that cannot be judged, with the reason.
  static final class NotJudgedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NotJudgedException(String reason) {
      super(reason, null, false, false);
    }
  }

  private static final Pattern TRUNCATED_LENGTHS =
      Pattern.compile("lengths (\\d+)\\+-\\d+ truncated");
  /// DeepSpeed's estimator: 2 of weights, 4 of gradients, 12 of fp32 master and Adam state.
  private static final Recipe.StateBytes DEEPSPEED_STATES = new Recipe.StateBytes(2, 4, 4, 8, 2, 2);

  private static final Pattern A100_OF_UNSTATED_SIZE =
      Pattern.compile("(\\d+ x )?a100( \\(.*\\))?", Pattern.CASE_INSENSITIVE);
  private static final int UNSTATED_SEQUENCE = 1024;
  private static final Pattern RELEASE =
      Pattern.compile("\\b(?:[A-Za-z-]+ ?)?(2[0-9])\\.([01][0-9])(?:\\.(\\d\\d))?\\b");
  private static final Pattern FIRST_NUMBER = Pattern.compile("(\\d+)");

  private final DataTable table;
  private final int row;
  private int assumptions;
  private boolean checkpointingUnstated;
  private boolean gpuUnstated;
  private boolean sequenceUnstated;

  RowReader(DataTable table, int row) {
    this.table = table;
    this.row = row;
  }

  DescribedRun read() {
    String framework = text("framework") + " " + text("row_id");
    GpuSpec gpu = gpu();
    ModelShape model = new RowModel(table, row).shape();
    int gpus = text("n_gpus").isEmpty() ? 1 : count("n_gpus", 0);
    if (gpus < 1) {
      throw new NotJudgedException("its n_gpus '" + text("n_gpus") + "' is no number of GPUs");
    }
    int sequence = sequence(model);
    Precision precision = precision(gpu);
    SoftwareStack stack = SoftwareStack.of(framework);
    Recipe.Tuning tuning = tuning();
    Strategy strategy = strategy(model, gpus, stack, tuning, sequence);
    Cluster cluster = InterconnectText.cluster(text("interconnect"), gpu, gpus, count("nodes", 0));
    boolean compiled = compiled(stack);
    Recipe recipe =
        new Recipe(
            sequence,
            precision,
            states(strategy, stack, tuning),
            tuning,
            compiled,
            fusedAttention(gpu),
            chunkedLoss(),
            stack);
    if (checkpointingUnstated && tuning != Recipe.Tuning.FULL) {
      boolean recipeCheckpoints = text("framework").contains("torchtune");
      strategy = strategy.with(recipeCheckpoints ? Checkpointing.FULL : Checkpointing.NONE);
    } else if (checkpointingUnstated && stack.runsEagerModules()) {
      strategy = leastCheckpointingThatFits(model, gpu, strategy, recipe);
    }
    return new DescribedRun(
        model,
        cluster,
        strategy,
        recipe,
        releaseFactor(framework),
        gpuUnstated,
        sequenceUnstated,
        Math.max(sequence, count("seq_len", 0)),
        reportedMemory(),
        assumptions);
  }

  /// torchtune and litgpt print the peak of tensors, other trainers the peak of the allocator or
  /// what nvidia-smi shows.
  private DescribedRun.ReportedMemory reportedMemory() {
    String text = (text("framework") + " " + text("peak_memory_kind")).toLowerCase(Locale.ROOT);
    if (text.contains("torchtune") || text.contains("litgpt") || text.contains("allocated")) {
      return DescribedRun.ReportedMemory.ALLOCATED;
    }
    return text.contains("megatron-deepspeed") || text.contains("smi")
        ? DescribedRun.ReportedMemory.DEVICE
        : DescribedRun.ReportedMemory.RESERVED;
  }

  /// Software gets faster: the same configuration gains about 0.2 % of throughput a year from one
  /// release to the next. Too small to matter for a prediction, it decides between two rows that
  /// differ in nothing else.
  private static double releaseFactor(String framework) {
    Matcher release = RELEASE.matcher(framework);
    if (!release.find()) {
      return 1;
    }
    double years =
        Integer.parseInt(release.group(1)) - 24 + (Integer.parseInt(release.group(2)) - 1) / 12.0;
    double patch = release.group(3) == null ? 0 : Integer.parseInt(release.group(3)) / 24.0;
    return 1 + 0.002 * Math.max(-5, Math.min(5, years + patch));
  }

  /// A run that does not say how it checkpoints ran with as little as its memory allowed. For
  /// Megatron and JAX the rows that the constants were fitted on do not say it either, so what
  /// their recipes recompute is in the constants.
  private static Strategy leastCheckpointingThatFits(
      ModelShape model, GpuSpec gpu, Strategy strategy, Recipe recipe) {
    for (Checkpointing checkpointing :
        new Checkpointing[] {Checkpointing.NONE, Checkpointing.SELECTIVE}) {
      Strategy tried = strategy.with(checkpointing);
      if (new MemoryModel(model, gpu, tried, recipe).estimate().fits()) {
        return tried;
      }
    }
    return strategy.with(Checkpointing.FULL);
  }

  private GpuSpec gpu() {
    String name = text("gpu");
    // Without a GPU memory can still be told; whether it fits is told for the usual card of 40 GB.
    gpuUnstated = name.isEmpty();
    // An A100 of unstated size is taken for the smaller one.
    boolean smallA100 = A100_OF_UNSTATED_SIZE.matcher(name).matches();
    return GpuSpecs.known()
        .find(gpuUnstated || smallA100 ? "A100-SXM4-40GB" : name)
        .orElseThrow(() -> new NotJudgedException("no specification of the GPU '" + name + "'"));
  }

  private int sequence(ModelShape model) {
    int sequence = count("seq_len", 0);
    if (sequence > 0) {
      if (text("strategy").endsWith("cumulative: Baseline")) {
        throw new NotJudgedException(
            "its samples are not packed, so a sequence holds fewer tokens than the column says");
      }
      Matcher lengths = TRUNCATED_LENGTHS.matcher(text("notes"));
      return lengths.find()
          ? meanOfTruncated(Double.parseDouble(lengths.group(1)), sequence)
          : sequence;
    }
    String name = text("model").toLowerCase(Locale.ROOT);
    if (name.contains("squad")) {
      assumptions++;
      return 384; // The sequence length of the BERT SQuAD fine-tuning recipe.
    }
    if (model.positions() > 0) {
      assumptions += 2;
      return Math.min(model.positions(), 2048);
    }
    if (tuning() == Recipe.Tuning.FULL) {
      throw new NotJudgedException("the row gives no sequence length");
    }
    // Memory can still be told: samples of instruction data rarely pass a thousand tokens.
    sequenceUnstated = true;
    return UNSTATED_SEQUENCE;
  }

  /// Samples of varying length that are cut at `most`: the mean of an exponential distribution cut
  /// there.
  private static int meanOfTruncated(double mean, int most) {
    return (int) Math.round(mean * (1 - Math.exp(-most / mean)));
  }

  private Precision precision(GpuSpec gpu) {
    String text = (text("precision") + " " + text("strategy")).toLowerCase(Locale.ROOT);
    if (text.contains("fp4")) {
      return Precision.FP4;
    }
    if (text.contains("fp8") && gpu.fp8Flops() > 0) {
      return Precision.FP8;
    }
    if (text.contains("bf16") || text.contains("bfloat16")) {
      return Precision.BF16;
    }
    if (text.contains("fp16") || text.contains("float16") || text.contains("amp")) {
      return Precision.FP16;
    }
    if (text.contains("tf32")) {
      return Precision.TF32;
    }
    if (text.contains("fp32") || text.contains("float32")) {
      return Precision.FP32;
    }
    assumptions++;
    return gpu.bf16Flops() > 0 ? Precision.BF16 : Precision.FP16;
  }

  private Recipe.Tuning tuning() {
    String text =
        (text("strategy") + " " + text("notes") + " " + text("model")).toLowerCase(Locale.ROOT);
    if (text.contains("qlora")
        || text.contains("q-lora")
        || text.contains("bnb.nf4")
        || text.contains("quantization=int")) {
      return Recipe.Tuning.QLORA;
    }
    if (!Pattern.compile("\\blora\\b").matcher(text).find() || text.contains("[full]")) {
      return Recipe.Tuning.FULL;
    }
    return text.contains("(emb)") ? Recipe.Tuning.LORA_EMBEDDINGS : Recipe.Tuning.LORA;
  }

  private Strategy strategy(
      ModelShape model, int gpus, SoftwareStack stack, Recipe.Tuning tuning, int sequence) {
    int tensor = degree("tp", "tp|tensor");
    int pipeline = degree("pp", "pp|pipeline");
    int context = degree("cp", "cp|context");
    int expert = degree("ep", "ep|expert");
    int virtual = Math.max(1, degree("vp", "vpp?"));
    boolean unstated = text("tp").isEmpty() && text("pp").isEmpty() && tensor == 1 && pipeline == 1;
    if (unstated && stack.name().startsWith("megatron") && tuning == Recipe.Tuning.FULL) {
      tensor = assumedTensor(model, gpus);
      assumptions++;
    }
    if (tensor * pipeline * context > gpus) {
      throw new NotJudgedException(
          "tensor, pipeline and context degrees need more than the row's " + gpus + " GPUs");
    }
    if (gpus % (tensor * pipeline * context) != 0) {
      throw new NotJudgedException(
          "tensor, pipeline and context degrees do not divide the row's " + gpus + " GPUs");
    }
    int data = gpus / (tensor * pipeline * context);
    int micro = count("micro_batch", 0);
    int global = count("global_batch", 0);
    int accumulation = count("grad_accum", 0);
    if (text("micro_batch").contains("per DP") && micro > 4) {
      // The batch of a replica, not of one pass.
      accumulation = micro / 4;
      micro = 4;
    }
    if (micro == 0) {
      micro = assumedMicroBatch(model, global, data, sequence, accumulation);
      assumptions++;
    }
    if (accumulation == 0) {
      accumulation = global > 0 ? Math.max(1, (int) Math.round((double) global / data / micro)) : 1;
      if (global == 0) {
        accumulation = pipeline > 1 ? 4 * pipeline : 1;
        assumptions++;
      }
    } else if (global > 0 && pipeline > 1) {
      accumulation = Math.max(1, (int) Math.round((double) global / data / micro));
    }
    Sharding sharding = sharding(model, gpus, stack, tuning);
    int shard = shard(sharding, data * context);
    return new Strategy(
        sharding,
        new Strategy.Layout(
            data,
            shard,
            tensor,
            stack.name().equals("megatron-core") || text("strategy").contains("sequence-parallel"),
            pipeline,
            pipeline > 1 ? virtual : 1,
            context,
            model.experts().any() ? Math.min(expert, data * context) : 1),
        micro,
        accumulation,
        checkpointing(),
        !text("strategy").toLowerCase(Locale.ROOT).contains("grad_op"),
        offload());
  }

  /// Megatron recipes that do not print their split: the least tensor parallelism that brings the
  /// replicated weights and gradients (6 bytes) under about 40 GB.
  private static int assumedTensor(ModelShape model, int gpus) {
    int tensor = 1;
    double dense = model.experts().any() ? model.parameters() / 16 : model.parameters();
    while (tensor < Math.min(8, gpus) && dense * 6 / tensor > 4e10) {
      tensor *= 2;
    }
    return tensor;
  }

  private static int assumedMicroBatch(
      ModelShape model, int global, int data, int sequence, int accumulation) {
    int most = global > 0 ? Math.max(1, global / data / Math.max(1, accumulation)) : 64;
    double size = model.parameters();
    int tokens = size > 2e10 ? 4096 : size > 2e9 ? 8192 : 16384;
    return Math.max(1, Math.min(most, tokens / Math.max(1, sequence)));
  }

  private Sharding sharding(ModelShape model, int gpus, SoftwareStack stack, Recipe.Tuning tuning) {
    String text = text("strategy").toLowerCase(Locale.ROOT);
    int stage = count("zero_stage", -1);
    Matcher named = Pattern.compile("(?:zero|stage)[- _]?([0-3])").matcher(text);
    if (stage < 0 && named.find()) {
      stage = Integer.parseInt(named.group(1));
    }
    if (gpus == 1) {
      return Sharding.NONE;
    }
    if (text.contains("fsdp2")) {
      return Sharding.FSDP2;
    }
    if (text.contains("fsdp") || text.contains("hsdp") || text.contains("full_shard")) {
      return stack.name().equals("jax") ? Sharding.FSDP2 : Sharding.FSDP1;
    }
    boolean needsShards =
        stage < 0
            && tuning == Recipe.Tuning.FULL
            && text("framework").toLowerCase(Locale.ROOT).contains("deepspeed")
            && stack.name().equals("huggingface")
            && model.parameters() * 18 > 6e10;
    if (needsShards) {
      return Sharding.ZERO3;
    }
    return switch (stage) {
      case 1 -> Sharding.ZERO1;
      case 2 -> Sharding.ZERO2;
      case 3 -> Sharding.ZERO3;
      default ->
          text.contains("dist-optimizer")
                  || text.contains("distributed optimizer")
                  || stack.name().equals("megatron-core")
              ? Sharding.ZERO1
              : stack.name().equals("jax") ? Sharding.FSDP2 : Sharding.DDP;
    };
  }

  private int shard(Sharding sharding, int ranks) {
    String text = text("strategy").toLowerCase(Locale.ROOT);
    Matcher group = Pattern.compile("group (\\d+)").matcher(text);
    if (group.find()) {
      return Math.max(1, Math.min(ranks, Integer.parseInt(group.group(1))));
    }
    Matcher fsdp = Pattern.compile("fsdp(\\d+)").matcher(text);
    if (sharding.shardsParameters() && fsdp.find() && Integer.parseInt(fsdp.group(1)) > 2) {
      return Math.max(1, Math.min(ranks, Integer.parseInt(fsdp.group(1))));
    }
    return text.contains("hsdp") || text.contains("hybrid") ? Math.min(ranks, 8) : ranks;
  }

  private Checkpointing checkpointing() {
    String text = text("activation_checkpointing").toLowerCase(Locale.ROOT);
    if (text.startsWith("full")
        || text.startsWith("y")
        || text.startsWith("on")
        || text.startsWith("true")) {
      return Checkpointing.FULL;
    }
    if (text.startsWith("selective")) {
      return Checkpointing.SELECTIVE;
    }
    if (text.startsWith("n") || text.startsWith("false") || text.startsWith("off")) {
      return Checkpointing.NONE;
    }
    String strategy = (text("strategy") + " " + text("notes")).toLowerCase(Locale.ROOT);
    if (strategy.contains("gradient checkpointing=✘")) {
      return Checkpointing.NONE;
    }
    if (strategy.contains("model type [")
        || strategy.contains("full recompute")
        || strategy.contains("+ activation checkpointing")
        || strategy.contains("gradient checkpointing=true")) {
      return Checkpointing.FULL;
    }
    if (text.startsWith("after the ac row")) {
      return Pattern.compile("cumulative: (baseline|\\+ packed|\\+ compile|\\+ chunked)")
              .matcher(strategy)
              .find()
          ? Checkpointing.NONE
          : Checkpointing.FULL;
    }
    assumptions++;
    checkpointingUnstated = true;
    return Checkpointing.NONE;
  }

  private Offload offload() {
    String text = text("strategy").toLowerCase(Locale.ROOT);
    boolean nvme = text.contains("nvme") || text.contains("infinity");
    if (!text.contains("offload") && !nvme) {
      return Offload.NONE;
    }
    if (text.contains("activation offload") || text.contains("no offload")) {
      return Offload.NONE;
    }
    boolean parameters = text.contains("param");
    if (nvme) {
      return parameters ? Offload.ALL_NVME : Offload.OPTIMIZER_NVME;
    }
    return parameters ? Offload.ALL_CPU : Offload.OPTIMIZER_CPU;
  }

  private boolean compiled(SoftwareStack stack) {
    String text = text("compile").toLowerCase(Locale.ROOT);
    if (text.startsWith("y") || text.startsWith("true") || text.startsWith("on")) {
      return true;
    }
    String strategy = text("strategy").toLowerCase(Locale.ROOT);
    if (text.startsWith("after the compile")) {
      return !Pattern.compile("cumulative: (baseline|\\+ packed)").matcher(strategy).find();
    }
    return stack.name().equals("jax");
  }

  /// Attention without stored scores came with FlashAttention in 2022 and needs an A100 or later
  /// (Turing and Volta only have the slower memory-efficient form).
  private boolean fusedAttention(GpuSpec gpu) {
    String framework = text("framework").toLowerCase(Locale.ROOT);
    boolean old =
        Pattern.compile(
                "megatron-deepspeed|megatron-lm (2020|sc21|\\()|deepspeed 20(19|20|21)|ngc"
                    + " container|transformers 4\\.[0-9]\\b|1\\.1[0-2] fsdp")
            .matcher(framework)
            .find();
    return !old && !gpu.architecture().startsWith("7.");
  }

  /// torchtune computes the loss in chunks by default; its cumulative table says from which row on.
  private boolean chunkedLoss() {
    String text = text("strategy").toLowerCase(Locale.ROOT);
    return text.contains("chunked cross")
        || (text("framework").contains("torchtune")
            && !Pattern.compile("cumulative: (baseline|\\+ packed|\\+ compile)")
                .matcher(text)
                .find());
  }

  private Recipe.StateBytes states(Strategy strategy, SoftwareStack stack, Recipe.Tuning tuning) {
    String precision = text("precision").toLowerCase(Locale.ROOT);
    String all = (text("strategy") + " " + text("framework")).toLowerCase(Locale.ROOT);
    if (tuning != Recipe.Tuning.FULL) {
      return Recipe.StateBytes.PURE_BF16;
    }
    if (all.contains("pure") || precision.contains("true") || all.contains("torchtune")) {
      return Recipe.StateBytes.PURE_BF16;
    }
    return switch (stack.name()) {
      case "megatron-core", "internevo" -> Recipe.StateBytes.MEGATRON;
      case "megatron-deepspeed" -> Recipe.StateBytes.MEGATRON;
      case "huggingface" ->
          all.contains("deepspeed") ? DEEPSPEED_STATES : Recipe.StateBytes.PURE_BF16;
      default ->
          strategy.sharding().shardsParameters()
              ? Recipe.StateBytes.FSDP_BF16_REDUCE
              : Recipe.StateBytes.AUTOCAST;
    };
  }

  private int degree(String column, String names) {
    int degree = count(column, 0);
    if (degree < 0) {
      throw new NotJudgedException("its " + column + " '" + text(column) + "' is no degree");
    }
    if (degree > 0) {
      return degree;
    }
    Matcher named =
        Pattern.compile("(?:\\b|_)(?:" + names + ")[ =_-]?(\\d+)", Pattern.CASE_INSENSITIVE)
            .matcher(text("strategy"));
    return named.find() ? Math.max(1, Integer.parseInt(named.group(1))) : 1;
  }

  /// The first whole number of a cell, or `fallback` where there is none.
  private int count(String column, int fallback) {
    double number = table.number(row, column, Double.NaN);
    if (!Double.isNaN(number)) {
      return (int) Math.round(number);
    }
    Matcher first = FIRST_NUMBER.matcher(text(column));
    if (first.find() && first.group(1).length() < 9) {
      assumptions++;
      return Integer.parseInt(first.group(1));
    }
    return fallback;
  }

  private String text(String column) {
    return table.text(row, column);
  }
}
