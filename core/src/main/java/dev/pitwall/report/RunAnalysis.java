package dev.pitwall.report;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.observe.Observation;
import dev.pitwall.observe.rule.RuleEngine;
import dev.pitwall.study.Baseline;
import dev.pitwall.trace.Steps;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// From one rank's trace to its result: measure and judge.
public final class RunAnalysis {
  private RunAnalysis() {}

  /// @param file where the trace was read from
  /// @param stepName name of the ranges that are steps, or null to find them
  public static RankResult analyze(Path file, Trace trace, @Nullable String stepName) {
    return analyze(file, TraceIndex.of(trace, stepName));
  }

  /// @param file where the trace was read from
  public static RankResult analyze(Path file, TraceIndex index) {
    Observation observation = Observation.of(index);
    return RankResult.of(
        file, sizeOf(file), observation, RuleEngine.judge(observation), estimate(index));
  }

  /// The step without the profiler; null where the recording has no steps to speak of.
  private static @Nullable Estimate estimate(TraceIndex index) {
    return index.steps().source() == Steps.Source.NONE || index.launches().deviceRows() == 0
        ? null
        : Baseline.unprofiled(index).stepMillis();
  }

  private static long sizeOf(Path file) {
    try {
      return Files.size(file);
    } catch (IOException vanished) {
      return -1;
    }
  }
}
