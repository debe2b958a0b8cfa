package dev.pitwall.report;

import dev.pitwall.error.MemoryShortage;
import dev.pitwall.error.PitwallException;
import dev.pitwall.report.section.Section;
import dev.pitwall.report.section.SideRecordings;
import dev.pitwall.study.Representatives;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.TraceReaders;
import dev.pitwall.trace.smi.SampleLog;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/// Analyzes the traces of a job, as many at a time as there are processors and memory for; of each
/// only its result is kept. Those that stand for the job are read again at the end, for the gains.
///
/// @param results one a trace that could be read, in the order of the ranks
/// @param refused the files that could not, where at least one could
/// @param joins how other recordings of the job were put on the clock of its first trace
public record JobAnalysis(
    List<RankResult> results, List<SideRecordings.Source> refused, List<Section> joins) {
  private static final long HEAP_BYTES_A_TRACE = 1L << 30;

  public JobAnalysis {
    results = List.copyOf(results);
    refused = List.copyOf(refused);
    joins = List.copyOf(joins);
  }

  /// Told of a job's traces while they are in memory, from several threads.
  public interface Watcher {
    /// Before a file is read.
    void reading(Path file);

    /// Once it is.
    ///
    /// @param place of the file among the job's
    void read(int place, Trace trace);
  }

  /// One rank's result, with its trace where the job is so small that all are kept.
  private record Measured(
      Path file, RankResult result, @Nullable TraceIndex index, List<Section> joins) {}

  /// @param logs device samples that may be of the same time
  /// @param stepName name of the ranges that are steps, or null to find them
  /// @param alone whether nothing else was read, so that one trace must be
  /// @throws PitwallException where no file could be read and one must be, or where they are not of
  ///     one job
  public static JobAnalysis of(
      List<Path> files,
      List<SampleLog> logs,
      @Nullable String stepName,
      boolean alone,
      Watcher watcher) {
    List<RankReading.Files> ranks = RankReading.of(files);
    if (alone && ranks.size() == 1) {
      return single(ranks.getFirst(), logs, stepName, watcher);
    }
    int byMemory = (int) Math.max(1, Runtime.getRuntime().maxMemory() / HEAP_BYTES_A_TRACE);
    int atOnce = Math.min(Runtime.getRuntime().availableProcessors(), byMemory);
    try (ExecutorService threads = Executors.newFixedThreadPool(Math.max(1, atOnce))) {
      List<Future<Measured>> pending = new ArrayList<>();
      for (int i = 0; i < ranks.size(); i++) {
        RankReading.Files rank = ranks.get(i);
        Path file = rank.trace();
        int place = i;
        Callable<Measured> analysis =
            () -> {
              watcher.reading(file);
              RankReading reading = RankReading.read(rank, logs);
              watcher.read(place, reading.trace());
              TraceIndex index = TraceIndex.of(reading.trace(), stepName);
              return new Measured(
                  file,
                  RunAnalysis.measure(file, index),
                  files.size() <= JobSample.HELD ? index : null,
                  reading.sections());
            };
        pending.add(threads.submit(analysis));
      }
      return collect(
          ranks.stream().map(RankReading.Files::trace).toList(), pending, stepName, alone);
    }
  }

  private static JobAnalysis single(
      RankReading.Files rank, List<SampleLog> logs, @Nullable String stepName, Watcher watcher) {
    watcher.reading(rank.trace());
    RankReading reading = RankReading.read(rank, logs);
    watcher.read(0, reading.trace());
    RankResult result =
        RunAnalysis.analyzeOnTwoThreads(rank.trace(), TraceIndex.of(reading.trace(), stepName));
    return new JobAnalysis(List.of(result), List.of(), reading.sections());
  }

  private static JobAnalysis collect(
      List<Path> files, List<Future<Measured>> pending, @Nullable String stepName, boolean alone) {
    List<Measured> measured = new ArrayList<>();
    List<SideRecordings.Source> refused = new ArrayList<>();
    PitwallException first = null;
    for (int i = 0; i < pending.size(); i++) {
      try {
        measured.add(pending.get(i).get());
      } catch (ExecutionException failed) {
        if (MemoryShortage.isBehind(failed)) {
          // What is left out of a job for want of memory would change with the machine.
          pending.forEach(waiting -> waiting.cancel(true));
          throw MemoryShortage.of(files.get(i).toString(), failed);
        }
        if (!(failed.getCause() instanceof PitwallException refusal)) {
          throw new IllegalStateException(
              files.get(i) + ": " + failed.getCause(), failed.getCause());
        }
        first = first == null ? refusal : first;
        refused.add(SideRecordings.Source.refused(files.get(i), refusal));
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw PitwallException.usage("The analysis was interrupted.");
      }
    }
    if (measured.isEmpty()) {
      if (alone && first != null) {
        throw first;
      }
      return new JobAnalysis(List.of(), refused, List.of());
    }
    measured.sort(Comparator.comparingInt(one -> one.result().rank()));
    List<RankResult> results = measured.stream().map(Measured::result).toList();
    OneJob.require(results.stream().map(OneJob.Rank::of).toList());
    Representatives chosen = RunAnalysis.representatives(results);
    List<TraceIndex> slowestFirst = new ArrayList<>();
    for (int place : chosen.places()) {
      TraceIndex held = measured.get(place).index();
      slowestFirst.add(
          held == null
              ? TraceIndex.of(TraceReaders.read(measured.get(place).file()), stepName)
              : held);
    }
    JobSample sample =
        new JobSample(measured.get(chosen.slowest()).file(), results.size(), slowestFirst, refused);
    return new JobAnalysis(
        RunAnalysis.withGains(results, chosen, slowestFirst.getFirst(), sample::study),
        refused,
        measured.getFirst().joins());
  }
}
