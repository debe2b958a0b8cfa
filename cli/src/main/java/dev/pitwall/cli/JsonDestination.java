package dev.pitwall.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The option `--json FILE|-` that every command has. With `-` the document goes to standard output
/// and the command prints nothing else there.
final class JsonDestination {
  @Option(
      names = "--json",
      paramLabel = "FILE|-",
      description = "Write the answer as JSON to a file, or with - to standard output.")
  @Nullable String target;

  /// Refuses a target that is one of the inputs.
  void refuseInputs(List<Path> inputs) {
    if (target != null && !takesStandardOutput()) {
      WholeFile.refuseInput(Path.of(target), inputs, "--json");
    }
  }

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
    WholeFile.write(Path.of(target), document, "--json");
  }
}
