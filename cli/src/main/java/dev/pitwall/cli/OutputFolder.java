package dev.pitwall.cli;

import dev.pitwall.error.PitwallException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// Where a run is written: a folder that holds nothing yet.
final class OutputFolder {
  private OutputFolder() {}

  /// The first of `NAME-1`, `NAME-2` and so on that does not exist.
  static Path next(String name) {
    int number = 1;
    while (Files.exists(Path.of(name + "-" + number))) {
      number++;
    }
    return Path.of(name + "-" + number);
  }

  /// The folder as given.
  ///
  /// @throws PitwallException where it holds files already (2)
  static Path empty(Path folder) {
    if (!Files.exists(folder)) {
      return folder;
    }
    try (Stream<Path> files = Files.list(folder)) {
      if (files.findAny().isEmpty()) {
        return folder;
      }
    } catch (IOException notAFolder) {
      throw PitwallException.usage(folder + " is no folder; give another --out.");
    }
    throw PitwallException.usage(folder + " holds files already; give another --out.");
  }
}
