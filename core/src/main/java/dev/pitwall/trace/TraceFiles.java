package dev.pitwall.trace;

import dev.pitwall.error.ExitCode;
import dev.pitwall.error.PitwallException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The one door for recordings: a path to traces, whatever the format and the packing.
///
/// Formats are [TraceReader] services; the first that accepts a file's first bytes reads it.
public final class TraceFiles {
  private static final String LFS_POINTER = "version https://git-lfs";

  private TraceFiles() {}

  /// Reads a file, or every trace in a folder: one trace a rank, in order of rank. A file of the
  // folder
  /// that looks like a trace and is none is entered in the ledger of the first trace.
  ///
  /// @throws PitwallException where there is nothing there that can be read
  public static List<Trace> read(Path path) {
    return Files.isDirectory(path) ? readFolder(path) : List.of(readFile(path));
  }

  /// What became of one file of a folder; neither where the file is of no known format.
  private record Attempt(@Nullable Trace trace, @Nullable PitwallException refusal) {}

  private static List<Trace> readFolder(Path folder) {
    List<Attempt> attempts = filesIn(folder).parallelStream().map(TraceFiles::attempt).toList();
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
      throw refusals.isEmpty()
          ? PitwallException.unreadable(
              folder
                  + " holds no trace; give the folder that has the .json or .json.gz files in it.")
          : refusals.getFirst();
    }
    traces.sort(Comparator.comparingInt(trace -> trace.recording().rank()));
    for (PitwallException refusal : refusals) {
      traces.getFirst().losses().record("unread-file", String.valueOf(refusal.getMessage()));
    }
    return List.copyOf(traces);
  }

  private static List<Path> filesIn(Path folder) {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.filter(Files::isRegularFile).sorted().toList();
    } catch (IOException failure) {
      throw PitwallException.unreadable(
          folder + " cannot be listed (" + failure.getMessage() + "); check its permissions.");
    }
  }

  private static Attempt attempt(Path file) {
    try {
      byte[] head = head(file);
      TraceReader reader = readerOf(file, head);
      return new Attempt(reader == null ? null : read(reader, file), null);
    } catch (PitwallException refusal) {
      return new Attempt(null, refusal);
    }
  }

  private static Trace readFile(Path file) {
    byte[] head = head(file);
    TraceReader reader = readerOf(file, head);
    if (reader == null) {
      throw PitwallException.unreadable(
          new String(head, StandardCharsets.ISO_8859_1).startsWith(LFS_POINTER)
              ? file + " is only a pointer to a file in Git LFS; run `git lfs pull` first."
              : file
                  + " is no recording that Pitwall knows; it reads torch.profiler traces (.json,"
                  + " .json.gz, .json.zst) and Nsight Systems exports (.sqlite).");
    }
    return read(reader, file);
  }

  private static byte[] head(Path file) {
    try (TraceInput input = TraceInput.open(file)) {
      return input.head();
    }
  }

  private static @Nullable TraceReader readerOf(Path file, byte[] head) {
    for (TraceReader reader : ServiceLoader.load(TraceReader.class)) {
      if (reader.accepts(head, head.length, file)) {
        return reader;
      }
    }
    return null;
  }

  private static Trace read(TraceReader reader, Path file) {
    try {
      return reader.read(file);
    } catch (IOException failure) {
      throw PitwallException.unreadable(
          file + " cannot be read (" + failure.getMessage() + "); check the disk.");
    } catch (OutOfMemoryError tooLarge) {
      throw new PitwallException(
          ExitCode.UNREADABLE_INPUT,
          file + " needs more memory than the heap has; set JAVA_TOOL_OPTIONS=-Xmx to more.",
          tooLarge);
    }
  }
}
