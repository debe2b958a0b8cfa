package dev.pitwall.scale;

import dev.pitwall.error.PitwallException;
import dev.pitwall.table.DataTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Well-known models by name, from `models.csv`; each row names the file that its shape comes from.
public final class ModelCatalogue {
  private static final ModelCatalogue KNOWN =
      new ModelCatalogue(DataTable.resource("/dev/pitwall/scale/models.csv"));

  private final Map<String, ModelShape> byName = new LinkedHashMap<>();
  private final Map<String, ModelShape> byAlias = new LinkedHashMap<>();

  private ModelCatalogue(DataTable table) {
    for (int row = 0; row < table.rows(); row++) {
      ModelShape shape = read(table, row);
      byName.put(shape.name(), shape);
      byAlias.put(normalized(shape.name()), shape);
      for (String alias : table.text(row, "aliases").split("\\|")) {
        if (!alias.isBlank()) {
          byAlias.putIfAbsent(normalized(alias), shape);
        }
      }
    }
  }

  public static ModelCatalogue known() {
    return KNOWN;
  }

  public List<String> names() {
    return List.copyOf(byName.keySet());
  }

  /// The model of this name, whatever its spelling (`Llama3.1-70B`, `llama-3.1 70b`).
  public Optional<ModelShape> find(String name) {
    return Optional.ofNullable(byAlias.get(normalized(name)));
  }

  /// The model of this name.
  ///
  /// @throws PitwallException with the nearest names where there is none
  public ModelShape require(String name) {
    return find(name)
        .orElseThrow(
            () ->
                PitwallException.usage(
                    "No model is called '"
                        + name
                        + "'; give a config.json or a YAML file, or one of: "
                        + String.join(", ", names())
                        + "."));
  }

  /// A name as it is compared: lower case, letters, digits and points only.
  public static String normalized(String name) {
    return name.toLowerCase(Locale.ROOT)
        .replaceAll("\\[([^\\]]*)\\].*", "$1")
        .replaceAll("[^a-z0-9.]+", "");
  }

  private static ModelShape read(DataTable table, int row) {
    int hidden = integer(table, row, "hidden");
    int heads = integer(table, row, "heads");
    int headDim = integer(table, row, "head_dim");
    return new ModelShape(
        table.text(row, "model"),
        integer(table, row, "layers"),
        integer(table, row, "encoder_layers"),
        hidden,
        heads,
        integer(table, row, "kv_heads"),
        headDim > 0 ? headDim : hidden / heads,
        integer(table, row, "ffn"),
        table.text(row, "gated").equals("y"),
        integer(table, row, "vocab"),
        table.text(row, "tied").equals("y"),
        integer(table, row, "positions"),
        new ModelShape.Experts(
            integer(table, row, "experts"),
            integer(table, row, "experts_per_token"),
            integer(table, row, "shared_experts"),
            integer(table, row, "expert_ffn"),
            integer(table, row, "dense_layers")),
        (long) table.number(row, "attention_parameters", 0));
  }

  private static int integer(DataTable table, int row, String column) {
    return (int) table.number(row, column, 0);
  }
}
