package dev.pitwall.study;

import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.json.Json;
import dev.pitwall.json.JsonSyntaxException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// The true step that `pitwall capture` measured, without a profiler, in the run a trace is from.
public final class MeasuredStep {
  private static final String TRACE = ".trace.json.gz";

  private MeasuredStep() {}

  /// The step in milliseconds, its interval from the smallest to the largest block; empty where
  /// the trace is no capture's, or the measurement was not complete.
  ///
  /// A capture is known by the stream of steps beside the trace: `rank0.steps.jsonl` for
  /// `rank0.trace.json.gz`.
  public static Optional<Estimate> of(Path trace) {
    Json truth = truth(trace);
    double step = truth.get("step_ms").number(Double.NaN);
    if (!(step > 0)) {
      return Optional.empty();
    }
    double low = step;
    double high = step;
    for (Json block : truth.get("step_ms_blocks")) {
      low = Math.min(low, block.number(step));
      high = Math.max(high, block.number(step));
    }
    return Optional.of(new Estimate(step, low, high, Basis.MEASURED));
  }

  /// The fields that the capture measured; `NULL` where there are none.
  public static Json truth(Path trace) {
    String name = String.valueOf(trace.getFileName());
    if (!name.endsWith(TRACE)) {
      return Json.Null.NULL;
    }
    Path steps =
        trace.resolveSibling(name.substring(0, name.length() - TRACE.length()) + ".steps.jsonl");
    try {
      if (Files.exists(steps)) {
        for (String line :
            new String(Files.readAllBytes(steps), StandardCharsets.UTF_8).split("\n")) {
          if (line.startsWith("{\"event\":\"truth\"")) {
            return Json.parse(line);
          }
        }
      }
    } catch (IOException | JsonSyntaxException damaged) {
      return Json.Null.NULL;
    }
    return Json.Null.NULL;
  }
}
