package dev.pitwall.bench.scale;

import dev.pitwall.pass.scale.PipelineSchedule;
import dev.pitwall.pass.scale.PipelineStep;
import dev.pitwall.simulate.SteadyState;
import dev.pitwall.table.DataTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Recorded pipeline steps against the simulated schedule: the medians of each rank's forwards and
/// backwards go in, the length of the step comes out. It judges the schedule, not the cost model.
final class RecordedPipelines {
  private static final int RANKS = 8;
  private static final int MICRO_BATCHES = 16;
  private static final double NANOS_PER_MILLI = 1e6;

  private RecordedPipelines() {}

  /// Absolute relative error of the step of each scenario.
  static Map<String, List<Double>> errors(Path file) {
    DataTable table;
    try {
      table = PublishedTables.read(file);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    Map<String, List<Integer>> scenarios = new LinkedHashMap<>();
    for (int row = 0; row < table.rows(); row++) {
      scenarios.computeIfAbsent(table.text(row, "scenario"), name -> new ArrayList<>()).add(row);
    }
    Map<String, List<Double>> errors = new LinkedHashMap<>();
    scenarios.forEach((name, rows) -> errors.put(name, List.of(error(table, rows))));
    return errors;
  }

  private static double error(DataTable table, List<Integer> rows) {
    int chunks = 0;
    Map<String, List<Double>> durations = new HashMap<>();
    List<Double> totals = new ArrayList<>();
    for (int row : rows) {
      chunks = Math.max(chunks, ((int) table.number(row, "op_index", 0)) / MICRO_BATCHES + 1);
    }
    for (int row : rows) {
      int rank = (int) table.number(row, "pp_rank", 0);
      int index = (int) table.number(row, "op_index", 0);
      for (boolean forward : new boolean[] {true, false}) {
        String side = forward ? "fwd" : "bwd";
        durations
            .computeIfAbsent(
                key(rank, chunk(rank, index, forward, chunks), forward), key -> new ArrayList<>())
            .add(table.number(row, side + "_end_ms", 0) - table.number(row, side + "_start_ms", 0));
      }
      totals.add(table.number(row, "iteration_total_ms", 0));
    }
    List<PipelineStep.Chunk> model = new ArrayList<>();
    for (int place = 0; place < RANKS * chunks; place++) {
      int rank = place % RANKS;
      int chunk = place / RANKS;
      model.add(
          new PipelineStep.Chunk(
              0,
              nanos(durations.getOrDefault(key(rank, chunk, true), List.of())),
              0,
              nanos(durations.getOrDefault(key(rank, chunk, false), List.of()))));
    }
    PipelineStep step =
        PipelineStep.build(
            model, RANKS, MICRO_BATCHES, new PipelineStep.Surroundings(0, chunks > 1, 0, 0));
    double predicted = SteadyState.of(step.graph()).stepNanos() / NANOS_PER_MILLI;
    return Math.abs(predicted / ScaleBoard.Score.median(totals) - 1);
  }

  /// The chunk of a rank's forward or backward of this number.
  private static int chunk(int rank, int index, boolean forward, int chunks) {
    return PipelineSchedule.of(rank, RANKS, chunks, MICRO_BATCHES).stream()
        .filter(work -> work.forward() == forward)
        .skip(index)
        .findFirst()
        .orElseThrow()
        .chunk();
  }

  private static String key(int rank, int chunk, boolean forward) {
    return rank + " " + chunk + " " + forward;
  }

  private static long nanos(List<Double> millis) {
    return Math.round(ScaleBoard.Score.median(millis) * NANOS_PER_MILLI);
  }
}
