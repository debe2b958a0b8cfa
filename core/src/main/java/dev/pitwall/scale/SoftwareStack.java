package dev.pitwall.scale;

import dev.pitwall.table.DataTable;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// How well a training framework uses the hardware: the constants that no data sheet gives, fitted
/// on published runs of the split `calib` (`stacks.csv`; `StackFit` in module bench fits them).
///
/// @param matmulShare of the best measured matrix-product rate that a whole layer's products reach
/// @param lowPrecisionShare the same for FP8 and FP4, of their own best rate
/// @param attentionShare of the best bf16 rate that fused attention reaches
/// @param elementwiseBytes bytes moved for each token and hidden element in one layer's forward;
///     the backward moves twice as many
/// @param hostLayerMicros time the CPU needs to launch one layer's forward; the backward takes 1.5
///     times as long
/// @param hostTensorMicros what tensor parallelism adds to that for its collectives
/// @param tensorOverlap share of tensor-parallel communication hidden behind products
/// @param dataOverlap share of the backward that data-parallel communication may hide behind
/// @param stepMillis fixed time of a step outside the layers
/// @param selectiveRecompute share of the forward that selective checkpointing repeats
/// @param expertShare of `matmulShare` that grouped products of routed experts reach
public record SoftwareStack(
    String name,
    double matmulShare,
    double lowPrecisionShare,
    double attentionShare,
    double elementwiseBytes,
    double hostLayerMicros,
    double hostTensorMicros,
    double tensorOverlap,
    double dataOverlap,
    double stepMillis,
    double selectiveRecompute,
    double expertShare) {

  private static final DataTable TABLE = DataTable.resource("/dev/pitwall/scale/stacks.csv");

  private record Rule(Pattern framework, SoftwareStack stack) {}

  private static final List<Rule> RULES = rules();

  /// FSDP2 on current PyTorch, eager.
  public static SoftwareStack pytorch() {
    return named("pytorch-fsdp");
  }

  /// The stack of this name.
  public static SoftwareStack named(String name) {
    return RULES.stream()
        .map(Rule::stack)
        .filter(stack -> stack.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no stack " + name));
  }

  /// The stack whose pattern is found in the name of a framework; the last rule matches all.
  public static SoftwareStack of(String framework) {
    for (Rule rule : RULES) {
      if (rule.framework().matcher(framework).find()) {
        return rule.stack();
      }
    }
    return pytorch();
  }

  /// Whether norms and rotary embeddings are modules of plain PyTorch, one kernel an operator.
  public boolean runsEagerModules() {
    return name.equals("pytorch-fsdp") || name.equals("huggingface");
  }

  /// The pattern of frameworks that run on the stack of this name.
  public static String frameworkPattern(String name) {
    return RULES.stream()
        .filter(rule -> rule.stack().name().equals(name))
        .map(rule -> rule.framework().pattern())
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no stack " + name));
  }

  public static List<SoftwareStack> all() {
    return RULES.stream().map(Rule::stack).toList();
  }

  private static List<Rule> rules() {
    List<Rule> rules = new ArrayList<>();
    for (int row = 0; row < TABLE.rows(); row++) {
      rules.add(
          new Rule(
              Pattern.compile(TABLE.text(row, "framework"), Pattern.CASE_INSENSITIVE),
              new SoftwareStack(
                  TABLE.text(row, "stack"),
                  TABLE.number(row, "matmul_share", 0),
                  TABLE.number(row, "low_precision_share", 0),
                  TABLE.number(row, "attention_share", 0),
                  TABLE.number(row, "elementwise_bytes", 0),
                  TABLE.number(row, "host_layer_us", 0),
                  TABLE.number(row, "host_tensor_us", 0),
                  TABLE.number(row, "tensor_overlap", 0),
                  TABLE.number(row, "data_overlap", 0),
                  TABLE.number(row, "step_ms", 0),
                  TABLE.number(row, "selective_recompute", 0),
                  TABLE.number(row, "expert_share", 1))));
    }
    return List.copyOf(rules);
  }
}
