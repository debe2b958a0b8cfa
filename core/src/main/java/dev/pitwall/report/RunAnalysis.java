package dev.pitwall.report;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Evidence;
import dev.pitwall.observe.KernelStatistics;
import dev.pitwall.observe.Observation;
import dev.pitwall.observe.rule.RuleEngine;
import dev.pitwall.observe.rule.RuleEngine.Judgement;
import dev.pitwall.study.MeasuredStep;
import dev.pitwall.study.StepEstimator;
import dev.pitwall.study.WhatIf;
import dev.pitwall.trace.LossLedger;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// From one rank's trace to its result: measure, judge, and simulate what each fix saves.
public final class RunAnalysis {
  private RunAnalysis() {}

  /// @param file where the trace was read from
  /// @param stepName name of the ranges that are steps, or null to find them
  public static RankResult analyze(Path file, Trace trace, @Nullable String stepName) {
    return analyze(file, trace, stepName, true);
  }

  /// @param simulated whether to simulate the fixes; if not, findings show the time lost
  static RankResult analyze(Path file, Trace trace, @Nullable String stepName, boolean simulated) {
    return analyze(file, TraceIndex.of(trace, stepName), simulated);
  }

  /// @param file where the trace was read from
  public static RankResult analyze(Path file, TraceIndex index) {
    return analyze(file, index, true);
  }

  private static RankResult analyze(Path file, TraceIndex index, boolean simulate) {
    Observation observation = Observation.of(index);
    Judgement judgement = RuleEngine.judge(observation);
    Estimate estimatedStep = null;
    LossLedger losses = index.trace().losses();
    Optional<TraceIndex> simulated =
        simulate && observation.quality().idleIsCredible()
            ? SimulatedSteps.of(index)
            : Optional.empty();
    if (simulated.isPresent()) {
      try {
        WhatIf whatIf = whatIf(file, simulated.get());
        estimatedStep = whatIf.before();
        judgement = SimulatedGains.on(judgement, whatIf, costliestKernels(observation));
      } catch (RuntimeException fault) {
        // One analysis that fails must not take the others with it; the report says so.
        losses.record(
            "gains-not-simulated",
            "Simulating the fixes failed ("
                + fault
                + "), so findings show the time lost instead of the gain; please report this.");
      }
    } else if (simulate && SimulatedSteps.isTooLong(index)) {
      losses.record(
          "gains-not-simulated",
          "A step of this trace is too long to simulate in passing, so findings show the time lost;"
              + " `pitwall whatif` simulates it.");
    }
    return RankResult.of(file, sizeOf(file), observation, judgement, estimatedStep);
  }

  private static List<Evidence> costliestKernels(Observation observation) {
    Trace trace = observation.index().trace();
    List<Evidence> evidence = new ArrayList<>();
    for (KernelStatistics kernel : observation.kernels().stream().limit(3).toList()) {
      int name = trace.names().find(kernel.name());
      int row = observation.firstInStep(name);
      if (row >= 0) {
        evidence.add(
            new Evidence(
                Math.max(0, trace.recording().rank()),
                trace.tracks().get(trace.slices().track(row)).label(),
                kernel.name(),
                trace.slices().startNanos(row),
                trace.slices().durationNanos(row)));
      }
    }
    return evidence;
  }

  /// The step without the profiler, in milliseconds, as a report on the run shows it; empty where
  // it
  /// cannot be simulated.
  public static Optional<Estimate> estimatedStep(Path file, TraceIndex index) {
    return SimulatedSteps.of(index).map(simulated -> whatIf(file, simulated).before());
  }

  /// Where the run was captured, its true step is known, and need not be estimated.
  private static WhatIf whatIf(Path file, TraceIndex index) {
    return MeasuredStep.of(file)
        .flatMap(step -> StepEstimator.fitted(index, step))
        .map(baseline -> new WhatIf(index, baseline))
        .orElseGet(() -> WhatIf.of(index));
  }

  private static long sizeOf(Path file) {
    try {
      return Files.size(file);
    } catch (IOException vanished) {
      return -1;
    }
  }
}
