package dev.pitwall.capture.tune;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.SharedData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProfiledRunTest {
  @Test
  void modesThatAreTriedAndNotPredictedHaveNoPrediction(@TempDir Path folder) throws IOException {
    Files.copy(
        SharedData.repositoryRoot().resolve("samples/gpt2-clean.trace.json.gz"),
        folder.resolve("rank0.trace.json.gz"));
    ProfiledRun run = ProfiledRun.in(folder).orElseThrow();
    assertThat(run.predictedSteps(TuneVariant.MODES))
        .containsOnlyKeys("default", "reduce-overhead", "max-autotune");
  }
}
