package dev.pitwall;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// The real CPU PyTorch that tests run programs with. Where it cannot be installed, a test that
/// asks for it is skipped and says so.
public final class PyTorch {
  private static final class Setup {
    static final String LAST_LINE = run();

    private static String run() {
      Path script = SharedData.repositoryRoot().resolve("capture/src/test/python/setup");
      try {
        Process setup =
            new ProcessBuilder("bash", script.toString()).redirectErrorStream(true).start();
        String output = new String(setup.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        setup.onExit().join();
        String lastLine = output.strip().lines().reduce("", (before, line) -> line);
        return setup.exitValue() == 0 ? lastLine : "!" + lastLine;
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }
  }

  private PyTorch() {}

  /// The `python` program whose `import torch` gives PyTorch 2.13 for the CPU. The first call of
  /// the first test run installs it, which takes about a minute.
  public static Path require() {
    assumeTrue(
        !Setup.LAST_LINE.startsWith("!"),
        "skipped: no PyTorch for the tests (" + Setup.LAST_LINE + ")");
    return Path.of(Setup.LAST_LINE);
  }
}
