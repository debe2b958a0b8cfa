package dev.pitwall.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class ProgramRunTest {
  @Test
  @Timeout(60)
  void aProgramThatDoesNotEndWhenAskedIsKilled(@TempDir Path folder) {
    int status =
        new ProgramRun(
                List.of("sh", "-c", "trap '' TERM; while true; do sleep 600; done"),
                folder,
                Programs.settings(),
                Map.of(),
                ProgramRun.Output.LOG_FILE)
            .execute(1);
    assertThat(status).isEqualTo(137);
  }
}
