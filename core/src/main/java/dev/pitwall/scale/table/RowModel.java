package dev.pitwall.scale.table;

import dev.pitwall.scale.ModelCatalogue;
import dev.pitwall.scale.ModelShape;
import dev.pitwall.table.DataTable;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// The model that a row describes: the catalogue's where the name is known, else from the columns
/// of its shape, else the usual shape of its size.
final class RowModel {
  private static final Pattern NOT_A_TRANSFORMER_DECODER =
      Pattern.compile(
          "diffusion|resnet|resnext|efficientnet|unet|ssd|detection|recommend|ncf|dlrm|jasper|"
              + "quartznet|wav2vec|hifigan|fastpitch|tacotron|waveglow|moflow|forecasting|maskrcnn|"
              + "segmentation|nemotron_3|nemotron-h|mamba|esm2|se3|speech|vit\\b|clip|whisper|flux|dit\\b");

  private final DataTable table;
  private final int row;

  RowModel(DataTable table, int row) {
    this.table = table;
    this.row = row;
  }

  ModelShape shape() {
    String name = table.text(row, "model");
    int layers = number("layers");
    int hidden = number("hidden");
    Optional<ModelShape> known = ModelCatalogue.known().find(stripped(name));
    if (known.isPresent()
        && (layers == 0 || known.get().experts().any() || known.get().layers() == layers)) {
      return known.get();
    }
    if (NOT_A_TRANSFORMER_DECODER.matcher(name.toLowerCase(Locale.ROOT)).find()) {
      throw new RowReader.NotJudgedException(
          "'" + name + "' is no plain transformer, and we have no shape of it");
    }
    if (layers > 0 && hidden > 0) {
      return fromColumns(name, layers, hidden);
    }
    double parameters = table.number(row, "params", 0);
    if (parameters >= 1e8) {
      return ofSize(name, parameters, layers, hidden);
    }
    throw new RowReader.NotJudgedException(
        name.isEmpty()
            ? "the row names no model"
            : "the shape of '" + name + "' is neither in the row nor in our catalogue");
  }

  private static String stripped(String name) {
    return name.replaceAll("\\(.*\\)", "").strip();
  }

  private ModelShape fromColumns(String name, int layers, int hidden) {
    int heads = number("heads");
    if (heads == 0) {
      heads = Math.max(1, hidden / 128);
    }
    int keyValueHeads = number("kv_heads");
    int ffn = number("ffn");
    int vocabulary = number("vocab");
    ModelShape plain =
        ModelShape.dense(
            name,
            layers,
            hidden,
            heads,
            keyValueHeads > 0 ? keyValueHeads : heads,
            ffn > 0 ? ffn : 4 * hidden,
            false,
            vocabulary > 0 ? vocabulary : 51200,
            true);
    double parameters = table.number(row, "params", 0);
    if (parameters <= 0) {
      return ffn > 0 && ffn < 3.5 * hidden ? gated(plain, false) : plain;
    }
    ModelShape best = plain;
    for (ModelShape candidate :
        new ModelShape[] {gated(plain, true), gated(plain, false), untied(plain)}) {
      if (Math.abs(candidate.parameters() - parameters)
          < Math.abs(best.parameters() - parameters)) {
        best = candidate;
      }
    }
    return best;
  }

  private static ModelShape gated(ModelShape plain, boolean tied) {
    return ModelShape.dense(
        plain.name(),
        plain.layers(),
        plain.hidden(),
        plain.heads(),
        plain.keyValueHeads(),
        plain.ffn(),
        true,
        plain.vocabulary(),
        tied);
  }

  private static ModelShape untied(ModelShape plain) {
    return ModelShape.dense(
        plain.name(),
        plain.layers(),
        plain.hidden(),
        plain.heads(),
        plain.keyValueHeads(),
        plain.ffn(),
        false,
        plain.vocabulary(),
        false);
  }

  /// A GPT of this many parameters: 12 layers x width squared, with the width to depth ratio of the
  /// GPT-3 family (arXiv 2005.14165, table 2.1: about 128 at 175B, 100 at 10B, 64 at 1B).
  private static ModelShape ofSize(String name, double parameters, int layers, int hidden) {
    double width = hidden;
    double depth = layers;
    if (width == 0 && depth == 0) {
      double ratio = Math.max(48, Math.min(160, 64 * Math.pow(parameters / 1e9, 0.14)));
      width = Math.cbrt(parameters / 12 * ratio);
      depth = width / ratio;
    } else if (width == 0) {
      width = Math.sqrt(parameters / 12 / depth);
    } else {
      depth = parameters / 12 / width / width;
    }
    int heads = Math.max(1, (int) Math.round(width / 128));
    return ModelShape.dense(
        name,
        Math.max(1, (int) Math.round(depth)),
        heads * 128,
        heads,
        heads,
        4 * heads * 128,
        false,
        51200,
        true);
  }

  private int number(String column) {
    return (int) Math.round(table.number(row, column, 0));
  }
}
