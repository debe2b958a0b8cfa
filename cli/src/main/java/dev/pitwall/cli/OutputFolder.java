package dev.pitwall.cli;

import dev.pitwall.error.PitwallException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// Where a run is written: a folder that holds nothing yet, and that goes again where nothing came.
///
/// @param path the folder, which need not exist yet
record OutputFolder(Path path) implements AutoCloseable {
  /// The first of `NAME-1`, `NAME-2` and so on that does not exist.
  static OutputFolder next(String name) {
    int number = 1;
    while (Files.exists(Path.of(name + "-" + number))) {
      number++;
    }
    return new OutputFolder(Path.of(name + "-" + number));
  }

  /// The folder as given.
  ///
  /// @throws PitwallException where it holds files already (2)
  static OutputFolder empty(Path folder) {
    if (!Files.exists(folder)) {
      return new OutputFolder(folder);
    }
    try (Stream<Path> files = Files.list(folder)) {
      if (files.findAny().isEmpty()) {
        return new OutputFolder(folder);
      }
    } catch (IOException notAFolder) {
      throw PitwallException.usage(folder + " is no folder; give another --out.");
    }
    throw PitwallException.usage(folder + " holds files already; give another --out.");
  }

  /// Removes the folder where it holds no file, or only empty ones.
  @Override
  public void close() {
    try (Stream<Path> inside = Files.walk(path)) {
      List<Path> deepestFirst = inside.sorted(Comparator.reverseOrder()).toList();
      for (Path one : deepestFirst) {
        if (!Files.isDirectory(one) && Files.size(one) > 0) {
          return;
        }
      }
      for (Path one : deepestFirst) {
        Files.delete(one);
      }
    } catch (IOException absentOrKept) {
      // An empty folder left behind is no reason to fail.
    }
  }
}
