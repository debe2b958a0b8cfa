package dev.pitwall.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.SharedData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PythonHookTest {
  @Test
  void listsEveryPythonFile() throws IOException {
    Path sources = SharedData.repositoryRoot().resolve("capture/src/main/python");
    try (Stream<Path> files = Files.walk(sources)) {
      assertThat(
              files
                  .filter(file -> file.toString().endsWith(".py"))
                  .map(file -> sources.relativize(file).toString()))
          .containsExactlyInAnyOrderElementsOf(PythonHook.FILES);
    }
  }

  @Test
  void keepsTheUsersPythonPathAndLeavesNothingBehind(@TempDir Path folder) throws IOException {
    Path unpacked = folder.resolve("hook");
    try (PythonHook hook = PythonHook.unpack(unpacked)) {
      assertThat(hook.pythonPath("mine"))
          .isEqualTo(unpacked.resolve("hook") + ":" + unpacked + ":mine");
      assertThat(hook.pythonPath("")).doesNotEndWith(":");
    }
    assertThat(unpacked).doesNotExist();
  }
}
