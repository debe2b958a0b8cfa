package dev.pitwall.cli;

import dev.pitwall.error.ExitCode;
import dev.pitwall.error.PitwallException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The option `--json FILE|-` that every command has. With `-` the document goes to standard output
/// and the command prints nothing else there.
final class JsonDestination {
  @Option(
      names = "--json",
      paramLabel = "FILE|-",
      description = "Write the report as JSON (pitwall.report/1) to a file, or to standard output.")
  @Nullable String target;

  /// Whether a document was asked for.
  boolean isAskedFor() {
    return target != null;
  }

  /// Whether standard output belongs to the document.
  boolean takesStandardOutput() {
    return "-".equals(target);
  }

  /// Writes the whole document or nothing: a file appears only once it is complete.
  void write(String document, PrintWriter standardOutput) {
    if (target == null) {
      return;
    }
    if (takesStandardOutput()) {
      standardOutput.print(document);
      standardOutput.flush();
      return;
    }
    Path file = Path.of(target);
    try {
      Path folder = file.toAbsolutePath().getParent();
      Path unfinished = Files.createTempFile(folder, ".pitwall", ".json");
      try {
        Files.writeString(unfinished, document);
        Files.move(unfinished, file, StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(unfinished);
      }
    } catch (IOException failure) {
      throw new PitwallException(
          ExitCode.WRONG_USAGE,
          "cannot write " + target + " (" + failure.getMessage() + "); choose another --json file.",
          failure);
    }
  }
}
