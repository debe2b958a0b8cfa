package dev.pitwall.cli;

import dev.pitwall.error.ExitCode;
import dev.pitwall.error.PitwallException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Writes a document whole or not at all: the file appears only once it is complete, also when the
/// program is stopped in between.
final class WholeFile {
  private WholeFile() {}

  /// Refuses an output that is one of the inputs, or lies under its name inside an input folder.
  ///
  /// @param option the option that named the output
  static void refuseInput(@Nullable Path output, List<Path> inputs, String option) {
    if (output == null || !Files.exists(output)) {
      return;
    }
    for (Path input : inputs) {
      try {
        if (Files.exists(input) && Files.isSameFile(input, output)) {
          throw PitwallException.usage(
              option + " " + output + " would overwrite an input; name another file.");
        }
      } catch (IOException unreachable) {
        throw PitwallException.usage(option + " " + output + " cannot be compared with the input.");
      }
    }
  }

  /// @param option the option that named the file, for the message where it cannot be written
  static void write(Path file, String document, String option) {
    try {
      // Not a temporary file of the JDK's: those are private, and a report is made to be shared.
      Path unfinished =
          file.toAbsolutePath().resolveSibling(".pitwall-" + UUID.randomUUID() + ".unfinished");
      try {
        Files.writeString(unfinished, document, StandardOpenOption.CREATE_NEW);
        Files.move(unfinished, file, StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(unfinished);
      }
    } catch (IOException failure) {
      throw new PitwallException(
          ExitCode.WRONG_USAGE,
          "cannot write "
              + file
              + " ("
              + failure.getMessage()
              + "); choose another file for "
              + option
              + ".",
          failure);
    }
  }
}
