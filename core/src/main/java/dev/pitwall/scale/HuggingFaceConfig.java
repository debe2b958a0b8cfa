package dev.pitwall.scale;

import dev.pitwall.error.PitwallException;
import dev.pitwall.json.Json;

/// Reads the shape of a model from a Hugging Face `config.json`. Keys differ by family; the first
/// that is present counts. A member `text_config` (multimodal models) is read instead of the whole.
/// The short names of our own YAML files (`layers`, `hidden`, `heads`, `kv_heads`, `ffn`, `vocab`)
/// are read too.
public final class HuggingFaceConfig {
  private static final String[] LAYERS = {
    "num_hidden_layers", "n_layer", "num_layers", "n_layers", "layers"
  };
  private static final String[] HIDDEN = {"hidden_size", "n_embd", "d_model", "hidden"};
  private static final String[] HEADS = {
    "num_attention_heads", "n_head", "num_heads", "n_heads", "heads"
  };

  private HuggingFaceConfig() {}

  /// The shape that a parsed `config.json` describes.
  ///
  /// @param fallbackName the model's name where the file gives none
  public static ModelShape read(Json file, String fallbackName) {
    Json config = file.get("text_config").size() > 0 ? file.get("text_config") : file;
    int layers = required(config, fallbackName, "layers", LAYERS);
    int hidden = required(config, fallbackName, "hidden size", HIDDEN);
    int heads = required(config, fallbackName, "attention heads", HEADS);
    String type = config.get("model_type").text("");
    int keyValueHeads =
        first(config, "num_key_value_heads", "num_kv_heads", "multi_query_group_num", "kv_heads");
    int headDim = first(config, "head_dim", "d_kv");
    int ffn =
        first(config, "intermediate_size", "n_inner", "ffn_dim", "d_ff", "ffn_hidden_size", "ffn");
    int experts = first(config, "num_local_experts", "num_experts", "n_routed_experts");
    int expertFfn = first(config, "moe_intermediate_size");
    boolean gated = isGated(config, type);
    int encoderLayers = type.equals("t5") ? layers : 0;
    int decoderLayers = first(config, "num_decoder_layers");
    return new ModelShape(
        config.get("name").text(fallbackName),
        decoderLayers > 0 ? decoderLayers : layers,
        encoderLayers,
        hidden,
        heads,
        keyValueHeads > 0 ? keyValueHeads : config.get("multi_query").bool(false) ? 1 : heads,
        headDim > 0 ? headDim : hidden / heads,
        ffn > 0 ? ffn : 4 * hidden,
        gated,
        first(config, "vocab_size", "padded_vocab_size", "vocab", "vocabulary"),
        config.get("tie_word_embeddings").bool(type.startsWith("gpt2") || type.startsWith("gemma")),
        type.startsWith("gpt2") ? first(config, "n_positions") : 0,
        experts > 1
            ? new ModelShape.Experts(
                experts,
                Math.max(1, first(config, "num_experts_per_tok", "moe_topk")),
                Math.max(0, first(config, "n_shared_experts")),
                expertFfn > 0 ? expertFfn : ffn,
                Math.max(0, first(config, "first_k_dense_replace")))
            : ModelShape.Experts.NONE,
        latentAttention(config, hidden, heads));
  }

  private static boolean isGated(Json config, String type) {
    String activation = config.get("hidden_act").text(config.get("activation_function").text(""));
    return switch (type) {
      case "gpt2", "gpt_neox", "bloom", "opt", "falcon", "mpt", "bert", "roberta", "phi", "vit" ->
          false;
      case "t5" -> config.get("feed_forward_proj").text("").startsWith("gated");
      default -> activation.isEmpty() || activation.contains("silu") || !activation.equals("relu2");
    };
  }

  /// Parameters of multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1), or 0.
  private static long latentAttention(Json config, int hidden, int heads) {
    long keyRank = first(config, "kv_lora_rank");
    if (keyRank <= 0) {
      return 0;
    }
    long queryRank = first(config, "q_lora_rank");
    long plain = first(config, "qk_nope_head_dim");
    long rotary = first(config, "qk_rope_head_dim");
    long value = first(config, "v_head_dim");
    long query =
        queryRank > 0
            ? hidden * queryRank + queryRank * heads * (plain + rotary)
            : (long) hidden * heads * (plain + rotary);
    return query
        + hidden * (keyRank + rotary)
        + keyRank * heads * (plain + value)
        + heads * value * hidden;
  }

  private static int required(Json config, String file, String what, String... keys) {
    int found = first(config, keys);
    if (found > 0) {
      return found;
    }
    for (String key : keys) {
      if (!config.get(key).isNull()) {
        throw PitwallException.unreadable(
            "'" + key + "' in '" + file + "' must be a whole number, 1 or more.");
      }
    }
    throw PitwallException.unreadable(
        "'"
            + file
            + "' names no "
            + what
            + ", so no shape can be read from it; give the model's own config.json, or a line like"
            + " '"
            + keys[keys.length - 1]
            + ": 32'.");
  }

  private static int first(Json config, String... keys) {
    for (String key : keys) {
      long value = config.get(key).integer(0);
      if (value > 0 && value < Integer.MAX_VALUE) {
        return (int) value;
      }
    }
    return 0;
  }
}
