package dev.pitwall.report;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Finding;
import dev.pitwall.study.Baseline;
import dev.pitwall.study.MeasuredStep;
import dev.pitwall.study.SampledSteps;
import dev.pitwall.study.StepEstimator;
import dev.pitwall.study.ledger.LedgerEntry;
import dev.pitwall.study.ledger.RunPredictions;
import dev.pitwall.study.ledger.RunPredictions.PredictedGain;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// What is predicted for a captured run, to be judged later: the gain of every fix, and the step as
/// the profiled window alone tells it, which the capture judges at once.
public record RunForecast(RunPredictions predictions, Optional<LedgerEntry> stepJudged) {
  /// The forecast of a capture; empty where its step was not measured or it has no trace.
  public static Optional<RunForecast> of(Path folder, OpenedRun run) {
    Path trace = folder.resolve("rank0.trace.json.gz");
    Optional<Estimate> measured = MeasuredStep.of(trace);
    if (measured.isEmpty() || run.ranks().isEmpty()) {
      return Optional.empty();
    }
    String gpu = MeasuredStep.truth(trace).get("gpu").text("");
    double step = measured.get().value();
    Estimate estimated = null;
    Optional<LedgerEntry> judged = Optional.empty();
    if (!gpu.isEmpty()) {
      Baseline fromTheWindow = StepEstimator.estimate(SampledSteps.of(run.sample().slowestFirst()));
      estimated = fromTheWindow.stepMillis();
      String name = folder.toAbsolutePath().normalize().toString();
      judged = Optional.of(new LedgerEntry("step", name, name, gpu, step, estimated, step));
    }
    List<PredictedGain> gains = new ArrayList<>();
    Stream.concat(run.report().findings().stream(), run.report().opportunities().stream())
        .filter(RunForecast::hasGain)
        .forEach(finding -> gains.add(new PredictedGain(finding.id(), finding.gain().millis())));
    return Optional.of(new RunForecast(new RunPredictions(gpu, step, estimated, gains), judged));
  }

  /// What was predicted for a run: as kept beside it, else made now; empty where it is no capture.
  public static Optional<RunPredictions> predictionsFor(Path folder, OpenedRun run) {
    return RunPredictions.in(folder)
        .or(() -> RunForecast.of(folder, run).map(RunForecast::predictions));
  }

  private static boolean hasGain(Finding finding) {
    return finding.gain().millis().value() > 0;
  }
}
