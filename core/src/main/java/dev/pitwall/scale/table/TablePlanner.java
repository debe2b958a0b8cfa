package dev.pitwall.scale.table;

import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.scale.MemoryEstimate;
import dev.pitwall.scale.MemoryModel;
import dev.pitwall.scale.Recipe;
import dev.pitwall.scale.StepCosts;
import dev.pitwall.table.DataTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Predicts every row of a table of published runs (`data/tables` format): throughput with an
/// interval, step time, peak memory and whether it fits, or the reason why a row is not judged.
public final class TablePlanner {
  /// Half-width of the interval of a fully described dense run, as a share: nine tenths of the
  /// calib rows lie within it.
  private static final double BASE_SPREAD = 0.28;

  /// What each fact that the row leaves open adds.
  private static final double ASSUMPTION_SPREAD = 0.07;

  /// Mixtures of experts and low-rank tuning rest on few calib rows.
  private static final double THIN_EVIDENCE_SPREAD = 0.15;

  private static final double GIB = 1L << 30;

  private TablePlanner() {}

  /// Predictions in the order of the rows.
  public static List<RowPrediction> predict(DataTable table) {
    List<RowPrediction> predictions = new ArrayList<>();
    for (int row = 0; row < table.rows(); row++) {
      predictions.add(predict(table, row));
    }
    return predictions;
  }

  /// What a row describes, or null where it cannot be read; [#predict(DataTable, int)] says why.
  public static @Nullable DescribedRun describe(DataTable table, int row) {
    try {
      return new RowReader(table, row).read();
    } catch (RowReader.NotJudgedException unread) {
      return null;
    }
  }

  public static RowPrediction predict(DataTable table, int row) {
    String id = table.text(row, "row_id");
    if (id.isEmpty()) {
      id = "row " + (row + 1);
    }
    try {
      return predict(id, new RowReader(table, row).read());
    } catch (RowReader.NotJudgedException unread) {
      String reason = unread.getMessage();
      return new RowPrediction(id, null, 0, 0, null, 0, reason == null ? "unreadable" : reason);
    } catch (IllegalArgumentException | ArithmeticException contradiction) {
      return new RowPrediction(
          id, null, 0, 0, null, 0, "the row's numbers contradict each other or make no sense");
    }
  }

  private static RowPrediction predict(String id, DescribedRun run) {
    MemoryEstimate memory =
        new MemoryModel(run.model(), run.cluster().gpu(), run.strategy(), run.memoryRecipe())
            .estimate();
    double peak =
        switch (run.reportedMemory()) {
          case ALLOCATED -> memory.allocated();
          case RESERVED -> memory.reserved();
          case DEVICE -> memory.deviceUsed();
        };
    if (run.gpuUnstated()) {
      return new RowPrediction(
          id,
          null,
          0,
          0,
          memory,
          peak,
          "the row names no GPU: only memory is judged, against 40 GB");
    }
    if (run.sequenceUnstated()) {
      return new RowPrediction(
          id,
          null,
          0,
          0,
          memory,
          peak,
          "the row gives no sequence length: only memory is judged, for 1,024 tokens");
    }
    double seconds =
        new StepCosts(run.model(), run.cluster(), run.strategy(), run.recipe()).step().seconds()
            / run.releaseFactor();
    double samples = run.strategy().globalBatch() / seconds;
    double tokens = samples * run.recipe().sequence() / run.strategy().gpus();
    boolean thin =
        run.model().experts().any()
            || run.recipe().tuning() != Recipe.Tuning.FULL
            || run.strategy().offload().any();
    double spread =
        BASE_SPREAD + ASSUMPTION_SPREAD * run.assumptions() + (thin ? THIN_EVIDENCE_SPREAD : 0);
    return new RowPrediction(
        id,
        new Estimate(tokens, tokens / (1 + spread), tokens * (1 + spread), Basis.MODELLED),
        samples,
        seconds,
        memory,
        peak,
        "");
  }

  /// The predictions as the table that `plan --table` writes.
  public static String csv(List<RowPrediction> predictions) {
    StringBuilder out =
        new StringBuilder(
            "row_id,predicted_tokens_per_s_per_gpu,low,high,predicted_samples_per_s,"
                + "predicted_step_time_s,predicted_peak_memory_gib,fits,not_judged\n");
    for (RowPrediction prediction : predictions) {
      Estimate tokens = prediction.tokensPerSecondPerGpu();
      MemoryEstimate memory = prediction.memory();
      out.append(quoted(prediction.rowId()))
          .append(',')
          .append(
              tokens == null
                  ? ",,"
                  : number(tokens.value())
                      + ","
                      + number(tokens.low())
                      + ","
                      + number(tokens.high()))
          .append(',')
          .append(tokens == null ? "" : number(prediction.samplesPerSecond()))
          .append(',')
          .append(tokens == null ? "" : number(prediction.stepSeconds()))
          .append(',')
          .append(memory == null ? "" : number(prediction.peakMemoryBytes() / GIB))
          .append(',')
          .append(memory == null ? "" : memory.fits() && !memory.isTight() ? "yes" : "no")
          .append(',')
          .append(quoted(prediction.notJudged()))
          .append('\n');
    }
    return out.toString();
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value >= 100 ? "%.1f" : value >= 1 ? "%.3f" : "%.6f", value);
  }

  private static String quoted(String text) {
    return text.contains(",") || text.contains("\"")
        ? '"' + text.replace("\"", "\"\"") + '"'
        : text;
  }
}
