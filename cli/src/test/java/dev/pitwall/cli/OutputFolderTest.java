package dev.pitwall.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputFolderTest {
  @TempDir Path parent;

  @Test
  void aFolderInWhichNothingCameGoesAgain() throws IOException {
    Path folder = parent.resolve("capture-1");
    try (OutputFolder written = OutputFolder.empty(folder)) {
      Files.createDirectories(written.path().resolve("eager/1"));
      Files.createFile(written.path().resolve("eager/1/program.log"));
    }
    assertThat(folder).doesNotExist();
  }

  @Test
  void aFolderWithARecordingStays() throws IOException {
    Path folder = parent.resolve("capture-1");
    try (OutputFolder written = OutputFolder.empty(folder)) {
      Files.createDirectories(written.path());
      Files.writeString(written.path().resolve("rank0.steps.jsonl"), "{}");
    }
    assertThat(folder.resolve("rank0.steps.jsonl")).exists();
  }
}
