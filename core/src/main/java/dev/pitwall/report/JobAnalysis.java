package dev.pitwall.report;

import dev.pitwall.error.PitwallException;
import dev.pitwall.report.section.SideRecordings;
import dev.pitwall.trace.LossLedger;
import dev.pitwall.trace.TraceReaders;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Analyzes the traces of a job, as many at a time as there are processors and memory for; of each
// only
/// its result is kept.
///
/// @param results one a trace that could be read, in the order of the files
/// @param refused the files that could not, where at least one could
public record JobAnalysis(List<RankResult> results, List<SideRecordings.Source> refused) {
  /// Fixes are simulated on this many ranks: ranks of a job do the same work.
  private static final int SIMULATED_RANKS = 8;

  private static final long HEAP_BYTES_A_TRACE = 1L << 30;

  public JobAnalysis {
    results = List.copyOf(results);
    refused = List.copyOf(refused);
  }

  /// @param stepName name of the ranges that are steps, or null to find them
  /// @param progress told each file before it is read, from several threads
  /// @throws PitwallException where no file could be read
  public static JobAnalysis of(
      List<Path> files, @Nullable String stepName, Consumer<Path> progress) {
    int byMemory = (int) Math.max(1, Runtime.getRuntime().maxMemory() / HEAP_BYTES_A_TRACE);
    int atOnce = Math.min(Runtime.getRuntime().availableProcessors(), byMemory);
    try (ExecutorService threads = Executors.newFixedThreadPool(Math.max(1, atOnce))) {
      List<Future<RankResult>> pending = new ArrayList<>();
      for (int i = 0; i < files.size(); i++) {
        Path file = files.get(i);
        boolean simulated = i < SIMULATED_RANKS;
        Callable<RankResult> analysis =
            () -> {
              progress.accept(file);
              return RunAnalysis.analyze(file, TraceReaders.read(file), stepName, simulated);
            };
        pending.add(threads.submit(analysis));
      }
      return collect(files, pending);
    }
  }

  private static JobAnalysis collect(List<Path> files, List<Future<RankResult>> pending) {
    List<RankResult> results = new ArrayList<>();
    List<SideRecordings.Source> refused = new ArrayList<>();
    PitwallException first = null;
    for (int i = 0; i < pending.size(); i++) {
      try {
        results.add(pending.get(i).get());
      } catch (ExecutionException failed) {
        if (!(failed.getCause() instanceof PitwallException refusal)) {
          throw new IllegalStateException(
              files.get(i) + ": " + failed.getCause(), failed.getCause());
        }
        first = first == null ? refusal : first;
        String sentence = String.valueOf(refusal.getMessage());
        refused.add(
            new SideRecordings.Source(
                files.get(i).toString(),
                "refused",
                -1,
                0,
                0,
                List.of(new LossLedger.Entry("refused", 1, sentence))));
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw PitwallException.usage("The analysis was interrupted.");
      }
    }
    if (results.isEmpty() && first != null) {
      throw first;
    }
    return new JobAnalysis(results, refused);
  }
}
