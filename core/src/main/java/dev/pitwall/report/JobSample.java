package dev.pitwall.report;

import dev.pitwall.error.PitwallException;
import dev.pitwall.observe.Doubt;
import dev.pitwall.observe.Observation;
import dev.pitwall.observe.ranks.OwnTime;
import dev.pitwall.report.section.SideRecordings;
import dev.pitwall.study.Baseline;
import dev.pitwall.study.MeasuredStep;
import dev.pitwall.study.Representatives;
import dev.pitwall.study.SampledSteps;
import dev.pitwall.study.StepEstimator;
import dev.pitwall.study.WhatIf;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Steps;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.TraceReaders;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The traces that stand for a job ([Representatives]), and what is asked of them: its step before
/// any change, and what changes would do. Every command asks here, so that all speak of the same
/// rank and the same step.
///
/// @param slowestFile where the first trace was read from
/// @param ranks how many ranks the job has
/// @param slowestFirst at most two traces
/// @param refused the files that could not be read, where at least one could
public record JobSample(
    Path slowestFile,
    int ranks,
    List<TraceIndex> slowestFirst,
    List<SideRecordings.Source> refused) {
  /// Up to so many traces stay in memory while the slowest is looked for; of more, only the chosen
  /// ones are read again.
  static final int HELD = 2;

  private record Rank(
      Path file, @Nullable TraceIndex index, int rank, double ownMillis, boolean whole) {
    static Rank of(Path file, Observation measured, boolean held) {
      TraceIndex index = measured.index();
      return new Rank(
          file,
          held ? index : null,
          index.trace().recording().rank(),
          OwnTime.millis(measured),
          isWhole(measured));
    }
  }

  public JobSample {
    slowestFirst = List.copyOf(slowestFirst);
    refused = List.copyOf(refused);
  }

  /// Reads the traces of the job that a path means, what lies beside them left out.
  ///
  /// @throws PitwallException where there is none, none can be read, or they are not of one job
  public static JobSample in(Path path) {
    SideRecordings beside = SideRecordings.of(List.of(path));
    List<Path> files = beside.tracesOf(beside.others());
    if (files.isEmpty()) {
      throw nothingToCompare(path);
    }
    return read(files, null, beside.refused());
  }

  /// Reads a job's traces one after the other and keeps those that stand for it.
  ///
  /// @param files one a rank, at least one
  /// @param stepName name of the ranges that are steps, or null to find them
  /// @throws PitwallException where none of them can be read, or they are not of one job
  public static JobSample read(List<Path> files, @Nullable String stepName) {
    return read(files, stepName, List.of());
  }

  private static JobSample read(
      List<Path> files, @Nullable String stepName, List<SideRecordings.Source> alreadyRefused) {
    List<Rank> ranks = new ArrayList<>();
    List<OneJob.Rank> evidence = new ArrayList<>();
    List<SideRecordings.Source> refused = new ArrayList<>(alreadyRefused);
    PitwallException first = null;
    for (Path file : files) {
      try {
        TraceIndex index = TraceIndex.of(TraceReaders.read(file), stepName);
        if (files.size() == 1) {
          return new JobSample(file, 1, List.of(index), refused);
        }
        Observation observation = Observation.of(index);
        evidence.add(OneJob.Rank.of(file, observation));
        ranks.add(Rank.of(file, observation, files.size() <= HELD));
      } catch (PitwallException refusal) {
        first = first == null ? refusal : first;
        refused.add(SideRecordings.Source.refused(file, refusal));
      }
    }
    if (ranks.isEmpty() && first != null) {
      throw first;
    }
    evidence.sort(Comparator.comparingInt(OneJob.Rank::rank));
    if (evidence.size() > 1) {
      OneJob.require(evidence);
    }
    return of(ranks, stepName, refused);
  }

  /// The sample of a job of one rank whose trace is in memory.
  public static JobSample of(Path file, TraceIndex index) {
    return new JobSample(file, 1, List.of(index), List.of());
  }

  /// The sample of a job whose ranks are measured.
  ///
  /// @param files one a rank, in the order of `ranks`
  static JobSample of(List<Path> files, List<Observation> ranks) {
    List<Rank> measured = new ArrayList<>();
    for (int i = 0; i < files.size(); i++) {
      measured.add(Rank.of(files.get(i), ranks.get(i), true));
    }
    return of(measured, null, List.of());
  }

  /// As [RankResult#isWhole()] of a rank that is not measured.
  private static boolean isWhole(Observation rank) {
    Steps steps = rank.index().steps();
    return rank.deviceTime() != null && steps.count() > 0 && steps.source() != Steps.Source.NONE;
  }

  private static JobSample of(
      List<Rank> ranks, @Nullable String stepName, List<SideRecordings.Source> refused) {
    ranks.sort(Comparator.comparingInt(Rank::rank));
    boolean[] whole = new boolean[ranks.size()];
    for (int place = 0; place < whole.length; place++) {
      whole[place] = ranks.get(place).whole();
    }
    Representatives chosen =
        Representatives.of(ranks.stream().mapToDouble(Rank::ownMillis).toArray(), whole);
    List<TraceIndex> indexes = new ArrayList<>();
    for (int place : chosen.places()) {
      TraceIndex index = ranks.get(place).index();
      indexes.add(
          index == null
              ? TraceIndex.of(TraceReaders.read(ranks.get(place).file()), stepName)
              : index);
    }
    return new JobSample(ranks.get(chosen.slowest()).file(), ranks.size(), indexes, refused);
  }

  /// The step of the job: as measured where `pitwall capture` recorded one rank, else estimated.
  public Baseline baseline() {
    List<TraceIndex> sampled = SampledSteps.of(slowestFirst);
    if (ranks == 1) {
      Optional<Baseline> measured =
          MeasuredStep.of(slowestFile)
              .flatMap(step -> StepEstimator.fitted(sampled.getFirst(), step));
      if (measured.isPresent()) {
        return measured.get();
      }
    }
    return StepEstimator.estimate(sampled);
  }

  /// The step of the job, for a comparison.
  ///
  /// @throws PitwallException with exit code 3 where the job has no step to compare
  public Baseline baselineToCompare() {
    if (slowestFirst.stream().anyMatch(rank -> rank.steps().count() > 0)) {
      Baseline baseline = baseline();
      if (baseline.stepMillis().value() > 0) {
        return baseline;
      }
    }
    throw nothingToCompare(slowestFile);
  }

  /// Why a comparison of the two says nothing, as sentences; empty where both can be trusted.
  public static List<String> doubts(JobSample first, JobSample second) {
    List<String> doubts = new ArrayList<>();
    for (JobSample sample : List.of(first, second)) {
      TraceIndex index = sample.slowestFirst().getFirst();
      Doubt doubt = Observation.of(index).quality().doubt();
      if (doubt == Doubt.TIMES) {
        doubts.add(
            "The timestamps of "
                + sample.slowestFile()
                + " cannot all be real, so no time of it is to be trusted.");
      } else if (doubt == Doubt.CLOCKS) {
        doubts.add(
            "The clocks of host and device are apart in "
                + sample.slowestFile()
                + ", so its step is not known.");
      }
      if (sample.hasDeviceWork() && !hasHostWork(index)) {
        doubts.add(
            sample.slowestFile()
                + " holds GPU work but nothing that the CPU did, so its step is not known.");
      } else if (index.launches().areUnrecorded()) {
        doubts.add(
            sample.slowestFile() + " holds no launch of its GPU work, so its step is not known.");
      }
    }
    if (first.hasDeviceWork() != second.hasDeviceWork()) {
      JobSample without = first.hasDeviceWork() ? second : first;
      doubts.add(
          without.slowestFile()
              + " holds no GPU work and the other recording does, so their steps are not"
              + " comparable.");
    }
    return doubts;
  }

  private boolean hasDeviceWork() {
    return slowestFirst.getFirst().launches().deviceRows() > 0;
  }

  private static boolean hasHostWork(TraceIndex index) {
    Slices slices = index.trace().slices();
    for (int row = 0; row < slices.size(); row++) {
      Category category = slices.category(row);
      if (category == Category.CPU_OP || category.isApiCall()) {
        return true;
      }
    }
    return false;
  }

  private static PitwallException nothingToCompare(Path path) {
    return PitwallException.unreadable(
        path + " holds no trace with a step in it, so there is nothing to compare.");
  }

  /// What changes would do to the step of the job, on the graph of its slowest rank.
  public WhatIf study() {
    return new WhatIf(SampledSteps.of(slowestFirst).getFirst(), baseline());
  }
}
