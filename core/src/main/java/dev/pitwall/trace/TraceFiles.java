package dev.pitwall.trace;

import dev.pitwall.error.PitwallException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A run in one call: a path to its traces, one a rank.
public final class TraceFiles {
  private TraceFiles() {}

  /// Reads a file, or every trace in a folder in order of rank. A file of the folder that cannot be
  /// read is entered in the ledger of the first trace.
  ///
  /// @throws PitwallException where there is nothing that can be read
  public static List<Trace> read(Path path) {
    return Files.isDirectory(path) ? readFolder(path) : List.of(TraceReaders.read(path));
  }

  /// What became of one file; one of both.
  private record Attempt(@Nullable Trace trace, @Nullable PitwallException refusal) {}

  private static List<Trace> readFolder(Path folder) {
    List<Attempt> attempts =
        TraceReaders.filesOf(List.of(folder)).parallelStream().map(TraceFiles::attempt).toList();
    List<Trace> traces = new ArrayList<>();
    List<PitwallException> refusals = new ArrayList<>();
    for (Attempt attempt : attempts) {
      if (attempt.trace() != null) {
        traces.add(attempt.trace());
      }
      if (attempt.refusal() != null) {
        refusals.add(attempt.refusal());
      }
    }
    if (traces.isEmpty()) {
      throw refusals.getFirst();
    }
    traces.sort(Comparator.comparingInt(trace -> trace.recording().rank()));
    for (PitwallException refusal : refusals) {
      traces.getFirst().losses().record("unread-file", String.valueOf(refusal.getMessage()));
    }
    return List.copyOf(traces);
  }

  private static Attempt attempt(Path file) {
    try {
      return new Attempt(TraceReaders.read(file), null);
    } catch (PitwallException refusal) {
      return new Attempt(null, refusal);
    }
  }
}
