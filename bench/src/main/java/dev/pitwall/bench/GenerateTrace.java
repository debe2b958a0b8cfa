package dev.pitwall.bench;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;

/// Writes a large trace: `GenerateTrace SMALL.json.gz LARGE.json[.gz] BYTES STEPS`.
final class GenerateTrace {
  private GenerateTrace() {}

  public static void main(String[] arguments) throws IOException {
    Path target = Path.of(arguments[1]);
    RepeatedTrace trace = new RepeatedTrace(Path.of(arguments[0]));
    try (OutputStream file = Files.newOutputStream(target);
        OutputStream out =
            target.toString().endsWith(".gz") ? new GZIPOutputStream(file, 1 << 16) : file) {
      trace.write(out, Long.parseLong(arguments[2]), Integer.parseInt(arguments[3]));
    }
  }
}
