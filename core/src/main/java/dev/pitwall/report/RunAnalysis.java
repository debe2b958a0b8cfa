package dev.pitwall.report;

import dev.pitwall.error.MemoryShortage;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.observe.Observation;
import dev.pitwall.observe.rule.RuleEngine;
import dev.pitwall.observe.rule.RuleEngine.Judgement;
import dev.pitwall.study.Representatives;
import dev.pitwall.study.SampledSteps;
import dev.pitwall.study.WhatIf;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// From traces to results: every rank is measured and judged by itself; what each fix saves is
/// simulated once for the job.
public final class RunAnalysis {
  private RunAnalysis() {}

  /// A job of one rank.
  ///
  /// @param file where the trace was read from
  /// @param stepName name of the ranges that are steps, or null to find them
  public static RankResult analyze(Path file, Trace trace, @Nullable String stepName) {
    return analyze(file, TraceIndex.of(trace, stepName));
  }

  /// A job of one rank.
  ///
  /// @param file where the trace was read from
  public static RankResult analyze(Path file, TraceIndex index) {
    return withGains(
            List.of(measure(file, index)),
            new Representatives(0, 0),
            index,
            JobSample.of(file, index)::study)
        .getFirst();
  }

  /// The same on two threads: what changes do is simulated while the recording is measured.
  static RankResult analyzeOnTwoThreads(Path file, TraceIndex index) {
    JobSample sample = JobSample.of(file, index);
    try (ExecutorService second = Executors.newSingleThreadExecutor()) {
      CompletableFuture<WhatIf> ranked =
          isSimulated(index)
              ? CompletableFuture.supplyAsync(() -> ranked(sample), second)
              : CompletableFuture.failedFuture(new IllegalStateException("not simulated"));
      return withGains(
              List.of(measure(file, index)), new Representatives(0, 0), index, ranked::join)
          .getFirst();
    }
  }

  /// A study that has all its answers.
  private static WhatIf ranked(JobSample sample) {
    WhatIf study = sample.study();
    study.rank();
    return study;
  }

  /// What one rank says by itself; its findings show the time lost.
  static RankResult measure(Path file, TraceIndex index) {
    return measure(file, Observation.of(index));
  }

  /// The same of a rank that is observed already.
  static RankResult measure(Path file, Observation observation) {
    return RankResult.of(file, sizeOf(file), observation, RuleEngine.judge(observation));
  }

  /// The same results with what each fix saves, where the job can be simulated; all relative to the
  /// step of the rank that stands for the job.
  ///
  /// @param index of the rank that stands for the job
  /// @param study of that rank; asked for only where the job can be simulated
  static List<RankResult> withGains(
      List<RankResult> ranks,
      Representatives representatives,
      TraceIndex index,
      Supplier<WhatIf> study) {
    RankResult slowest = ranks.get(representatives.slowest());
    List<RankResult> gained = new ArrayList<>(ranks);
    if (SampledSteps.isTooLong(index)) {
      gained.set(
          representatives.slowest(),
          notSimulated(
              slowest,
              "A step of this trace is too long to simulate in passing, so findings show the time"
                  + " lost; `pitwall whatif` simulates it."));
      return gained;
    }
    if (!hasWork(index) || !slowest.idleIsCredible()) {
      return gained;
    }
    try {
      WhatIf whatIf = study.get();
      for (int rank = 0; rank < ranks.size(); rank++) {
        RankResult result = ranks.get(rank);
        boolean isSlowest = rank == representatives.slowest();
        Judgement judgement =
            isSlowest
                ? SimulatedGains.onJob(result.judgement(), whatIf, result.costliestKernels())
                : SimulatedGains.on(result.judgement(), whatIf);
        gained.set(rank, result.withGains(judgement, isSlowest ? whatIf.before() : null));
      }
      return gained;
    } catch (RuntimeException fault) {
      if (MemoryShortage.isBehind(fault)) {
        throw MemoryShortage.of(slowest.input().path(), fault);
      }
      // One analysis that fails must not take the others with it; the report says so.
      List<RankResult> unchanged = new ArrayList<>(ranks);
      unchanged.set(
          representatives.slowest(),
          notSimulated(
              slowest,
              "Simulating the fixes failed ("
                  + fault
                  + "), so findings show the time lost instead of the gain; please report this."));
      return unchanged;
    }
  }

  /// The step without the profiler, in milliseconds, as a report on the run shows it; empty where
  /// it cannot be simulated.
  public static Optional<Estimate> estimatedStep(Path file, TraceIndex index) {
    return isSimulated(index)
        ? Optional.of(JobSample.of(file, index).baseline().stepMillis())
        : Optional.empty();
  }

  private static boolean isSimulated(TraceIndex index) {
    return hasWork(index) && !SampledSteps.isTooLong(index);
  }

  private static boolean hasWork(TraceIndex index) {
    return index.steps().count() > 0 && index.launches().deviceRows() > 0;
  }

  /// The ranks that stand for a job.
  static Representatives representatives(List<RankResult> ranks) {
    boolean[] whole = new boolean[ranks.size()];
    for (int rank = 0; rank < whole.length; rank++) {
      whole[rank] = ranks.get(rank).isWhole();
    }
    return Representatives.of(ranks.stream().mapToDouble(RankResult::ownMillis).toArray(), whole);
  }

  private static RankResult notSimulated(RankResult rank, String why) {
    return rank.withWarning(new Report.Warning("gains-not-simulated", 1, why));
  }

  private static long sizeOf(Path file) {
    try {
      return Files.size(file);
    } catch (IOException vanished) {
      return -1;
    }
  }
}
