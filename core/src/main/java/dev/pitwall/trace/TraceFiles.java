package dev.pitwall.trace;

import dev.pitwall.error.PitwallException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/// The one door for recordings: a path to traces, whatever the format and the packing.
///
/// Formats are [TraceReader] services; the first that accepts a file's first bytes reads it.
public final class TraceFiles {
  private TraceFiles() {}

  /// Reads a file, or every trace in a folder: one trace a rank, in order of rank.
  ///
  /// @throws PitwallException where there is nothing there that can be read
  public static List<Trace> read(Path path) {
    if (!Files.isDirectory(path)) {
      return List.of(readFile(path));
    }
    List<Trace> traces = new ArrayList<>();
    PitwallException refusal = null;
    for (Path file : filesIn(path)) {
      try {
        traces.add(readFile(file));
      } catch (PitwallException notATrace) {
        refusal = notATrace;
      }
    }
    if (traces.isEmpty() && refusal != null) {
      throw refusal;
    }
    traces.sort(Comparator.comparingInt(trace -> trace.recording().rank()));
    return List.copyOf(traces);
  }

  /// The traces in a folder, by name.
  private static List<Path> filesIn(Path folder) {
    try (Stream<Path> entries = Files.list(folder)) {
      List<Path> files =
          entries.filter(Files::isRegularFile).filter(TraceFiles::isTrace).sorted().toList();
      if (files.isEmpty()) {
        throw PitwallException.unreadable(
            folder
                + " holds no trace; give the folder that has the .json or .json.gz files in it.");
      }
      return files;
    } catch (IOException failure) {
      throw PitwallException.unreadable(
          folder + " cannot be listed (" + failure.getMessage() + ").");
    }
  }

  private static boolean isTrace(Path file) {
    try (TraceInput input = TraceInput.open(file)) {
      byte[] head = input.head();
      for (TraceReader reader : ServiceLoader.load(TraceReader.class)) {
        if (reader.accepts(head, head.length, file)) {
          return true;
        }
      }
      return false;
    }
  }

  private static Trace readFile(Path file) {
    byte[] head;
    try (TraceInput input = TraceInput.open(file)) {
      head = input.head();
    }
    for (TraceReader reader : ServiceLoader.load(TraceReader.class)) {
      if (reader.accepts(head, head.length, file)) {
        try {
          return reader.read(file);
        } catch (IOException failure) {
          throw PitwallException.unreadable(
              file + " cannot be read (" + failure.getMessage() + ").");
        }
      }
    }
    throw PitwallException.unreadable(
        file
            + " is no recording that Pitwall knows; it reads torch.profiler traces (.json,"
            + " .json.gz).");
  }
}
