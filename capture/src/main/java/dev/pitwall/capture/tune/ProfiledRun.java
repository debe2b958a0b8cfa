package dev.pitwall.capture.tune;

import dev.pitwall.error.PitwallException;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Finding;
import dev.pitwall.observe.KernelStatistics;
import dev.pitwall.observe.Observation;
import dev.pitwall.observe.rule.RuleEngine;
import dev.pitwall.pass.compile.CompileMode;
import dev.pitwall.study.Change;
import dev.pitwall.study.MeasuredStep;
import dev.pitwall.study.StepEstimator;
import dev.pitwall.study.WhatIf;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.kineto.KinetoReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/// What the profiled window of a variant's first run tells beyond its time.
final class ProfiledRun {
  /// Kernels that together take this share of device time are the hot ones.
  private static final double HOT_SHARE = 0.8;

  private static final String COMPILE_PASS = "compile";

  private final Path trace;
  private final Observation observation;

  private ProfiledRun(Path trace, Observation observation) {
    this.trace = trace;
    this.observation = observation;
  }

  /// The window in the folder; empty where there is none, or it cannot be read.
  static Optional<ProfiledRun> in(Path folder) {
    Path trace = folder.resolve("rank0.trace.json.gz");
    if (!Files.exists(trace)) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new ProfiledRun(
              trace, Observation.of(TraceIndex.of(new KinetoReader().read(trace), null))));
    } catch (PitwallException unreadable) {
      return Optional.empty();
    }
  }

  /// Ids of everything the rules found, faults and opportunities.
  Set<String> findingIds() {
    RuleEngine.Judgement judgement = RuleEngine.judge(observation);
    Set<String> ids = new TreeSet<>();
    Stream.concat(judgement.findings().stream(), judgement.opportunities().stream())
        .map(Finding::id)
        .forEach(ids::add);
    return ids;
  }

  /// The step that each mode of torch.compile is predicted to give this program, in milliseconds,
  /// by the mode's name; empty without a GPU, or where the compile pass does not apply. Not every
  /// mode is one that the pass predicts.
  Map<String, Estimate> predictedSteps(List<String> modes) {
    if (observation.deviceTime() == null) {
      return Map.of();
    }
    TraceIndex index = observation.index();
    WhatIf whatIf =
        MeasuredStep.of(trace)
            .flatMap(step -> StepEstimator.fitted(index, step))
            .map(baseline -> new WhatIf(index, baseline))
            .orElseGet(() -> WhatIf.of(index));
    Map<String, Estimate> steps = new LinkedHashMap<>();
    for (String mode : modes) {
      if (CompileMode.named(mode).isPresent()) {
        whatIf
            .alone(new Change(COMPILE_PASS, mode))
            .ifPresent(prediction -> steps.put(mode, prediction.after()));
      }
    }
    return steps;
  }

  /// Theoretical occupancy of the hot kernels, 0 to 1, weighted by time; NaN without a GPU.
  double hotOccupancy() {
    double all = observation.kernels().stream().mapToDouble(KernelStatistics::totalNanos).sum();
    double seen = 0;
    double weighted = 0;
    double judged = 0;
    for (KernelStatistics kernel : observation.kernels()) {
      if (seen >= HOT_SHARE * all) {
        break;
      }
      seen += kernel.totalNanos();
      if (!Double.isNaN(kernel.occupancy())) {
        weighted += kernel.occupancy() * kernel.totalNanos();
        judged += kernel.totalNanos();
      }
    }
    return judged == 0 ? Double.NaN : weighted / judged;
  }
}
