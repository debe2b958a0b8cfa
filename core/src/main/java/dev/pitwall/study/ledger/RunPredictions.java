package dev.pitwall.study.ledger;

import dev.pitwall.error.PitwallException;
import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.json.Json;
import dev.pitwall.json.JsonSyntaxException;
import dev.pitwall.json.JsonWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Everything predicted for one run, kept beside it in `predictions.json`.
///
/// @param gpu empty on the CPU
/// @param stepMillis the measured step
/// @param estimatedStep what the step was estimated at from the profiled window alone; null where
///     it was not
/// @param gains of each fix that a finding or an opportunity names
public record RunPredictions(
    String gpu, double stepMillis, @Nullable Estimate estimatedStep, List<PredictedGain> gains) {
  /// The file's name in the run's folder.
  public static final String FILE = "predictions.json";

  /// What one fix was predicted to save.
  public record PredictedGain(String id, Estimate millis) {}

  public RunPredictions {
    gains = List.copyOf(gains);
  }

  /// The same with each gain multiplied by what the ledger has learnt of its fix on this device.
  public RunPredictions correctedBy(Ledger ledger) {
    return new RunPredictions(
        gpu,
        stepMillis,
        estimatedStep,
        gains.stream()
            .map(
                gain -> {
                  double factor = ledger.correction(gain.id(), gpu);
                  return factor > 0 && gain.millis().low() >= 0
                      ? new PredictedGain(gain.id(), gain.millis().times(factor))
                      : gain;
                })
            .toList());
  }

  /// The predictions beside a run; empty where there are none.
  ///
  /// @throws PitwallException where the file is no predictions (3)
  public static Optional<RunPredictions> in(Path folder) {
    Path file = folder.resolve(FILE);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      Json document = Json.parse(Files.readString(file));
      List<PredictedGain> gains = new ArrayList<>();
      for (Json gain : document.get("gains")) {
        gains.add(new PredictedGain(gain.get("id").text(""), estimate(gain)));
      }
      Json step = document.get("estimated_step");
      return Optional.of(
          new RunPredictions(
              document.get("gpu").text(""),
              document.get("step_ms").number(Double.NaN),
              step.isNull() ? null : estimate(step),
              gains));
    } catch (IOException | JsonSyntaxException damaged) {
      throw PitwallException.unreadable(
          "cannot read the predictions " + file + " (" + damaged.getMessage() + ").");
    }
  }

  /// Writes the file whole.
  public void writeTo(Path folder) throws IOException {
    JsonWriter out =
        new JsonWriter()
            .object()
            .key("schema")
            .value("pitwall.predictions/1")
            .key("gpu")
            .value(gpu)
            .key("step_ms")
            .value(stepMillis)
            .key("estimated_step");
    if (estimatedStep == null) {
      out.value(Json.Null.NULL);
    } else {
      write(out.object(), estimatedStep).end();
    }
    out.key("gains").array();
    for (PredictedGain gain : gains) {
      write(out.object().key("id").value(gain.id()), gain.millis()).end();
    }
    Path unfinished = folder.resolve("unfinished." + FILE);
    Files.writeString(unfinished, out.end().end() + "\n");
    Files.move(unfinished, folder.resolve(FILE), StandardCopyOption.REPLACE_EXISTING);
  }

  private static JsonWriter write(JsonWriter out, Estimate estimate) {
    return out.key("value_ms")
        .value(estimate.value())
        .key("low_ms")
        .value(estimate.low())
        .key("high_ms")
        .value(estimate.high());
  }

  private static Estimate estimate(Json json) {
    double value = json.get("value_ms").number(0);
    return new Estimate(
        value,
        Math.min(value, json.get("low_ms").number(value)),
        Math.max(value, json.get("high_ms").number(value)),
        Basis.SIMULATED);
  }
}
