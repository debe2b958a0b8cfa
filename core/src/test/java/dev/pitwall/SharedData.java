package dev.pitwall;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;

/// The recordings that lie beside the repository in `../shared/data`. Where they do not, a test
/// that asks for one is skipped and says so.
public final class SharedData {
  private SharedData() {}

  /// The file or folder at this path inside the shared data, such as
  /// `h200/gpt2/base.trace.json.gz`.
  public static Path require(String path) {
    Path found = repositoryRoot().resolveSibling("shared").resolve("data").resolve(path);
    assumeTrue(
        Files.exists(found),
        "skipped: the shared recordings (../shared/data/" + path + ") are not here");
    return found;
  }

  /// The folder that holds the launcher, whatever module the test runs in.
  public static Path repositoryRoot() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("mvnw"))) {
      Path parent = folder.getParent();
      if (parent == null) {
        throw new IllegalStateException("the tests do not run inside the repository");
      }
      folder = parent;
    }
    return folder;
  }
}
