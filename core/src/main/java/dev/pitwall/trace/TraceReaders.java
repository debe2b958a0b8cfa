package dev.pitwall.trace;

import dev.pitwall.error.MemoryShortage;
import dev.pitwall.error.PitwallException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/// Finds the recordings of a run and the reader for each. Readers are services
/// (`META-INF/services/dev.pitwall.trace.TraceReader`), so that this module knows none that needs a
/// library.
public final class TraceReaders {
  private static final List<String> SUFFIXES =
      List.of(".json", ".json.gz", ".json.zst", ".json.zip", ".json.tmp", ".sqlite", ".sqlite.gz");

  private static final String LFS_POINTER = "version https://git-lfs";

  private TraceReaders() {}

  /// The files that the paths of a command line mean: a file itself, or the recordings in a folder
  /// (one a rank), sorted by name.
  ///
  /// @throws PitwallException where a path does not exist or a folder holds no recording
  public static List<Path> filesOf(List<Path> paths) {
    List<Path> files = new ArrayList<>();
    for (Path path : paths) {
      if (path.toString().isEmpty()) {
        throw PitwallException.usage("A path is empty; is a shell variable unset?");
      }
      if (!Files.exists(path)) {
        throw PitwallException.unreadable(path + " does not exist; check the path.");
      }
      if (!Files.isDirectory(path) && !Files.isRegularFile(path)) {
        throw PitwallException.unreadable(path + " is neither a file nor a folder.");
      }
      if (!Files.isDirectory(path)) {
        files.add(path);
        continue;
      }
      List<Path> inside = recordingsIn(path);
      if (inside.isEmpty()) {
        throw PitwallException.unreadable(
            path + " holds no trace (*.json, *.json.gz, *.json.zst); name the file itself.");
      }
      files.addAll(inside);
    }
    return List.copyOf(files);
  }

  /// Reads a file with the first reader that accepts it.
  ///
  /// @throws PitwallException where no reader does, or the one that does cannot read it
  public static Trace read(Path file) {
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
              file + " cannot be read (" + failure.getMessage() + "); check the disk.");
        } catch (OutOfMemoryError tooLarge) {
          throw MemoryShortage.of(file.toString(), tooLarge);
        }
      }
    }
    throw PitwallException.unreadable(
        new String(head, StandardCharsets.ISO_8859_1).startsWith(LFS_POINTER)
            ? file + " is only a pointer to a file in Git LFS; run `git lfs pull` first."
            : file
                + " is no recording that Pitwall knows. It reads torch.profiler traces (.json,"
                + " .json.gz, .json.zst) and Nsight Systems exports (.sqlite); analyze and serve"
                + " also memory snapshots (.pickle), flight recorder dumps, execution traces"
                + " (.json) and device samples (nvidia-smi, dcgmi, rocm-smi); compile also"
                + " TORCH_TRACE logs.");
  }

  /// Whether a folder holds a file that is named like a recording.
  public static boolean isAnyIn(Path folder) {
    return !recordingsIn(folder).isEmpty();
  }

  private static List<Path> recordingsIn(Path folder) {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries
          .filter(Files::isRegularFile)
          .filter(file -> SUFFIXES.stream().anyMatch(file.getFileName().toString()::endsWith))
          .sorted()
          .toList();
    } catch (IOException failure) {
      throw PitwallException.unreadable(
          folder + " cannot be listed (" + failure.getMessage() + "); check its permissions.");
    }
  }
}
