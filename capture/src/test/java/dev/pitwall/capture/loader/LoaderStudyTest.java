package dev.pitwall.capture.loader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.capture.CaptureFolder;
import dev.pitwall.capture.Programs;
import dev.pitwall.capture.RecordingSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A real loader with a planted slow transform, which waits 4 ms an item: eight items a batch, so
/// one worker gives at most 31 batches a second, and the step needs more than twice as many.
class LoaderStudyTest {
  @Test
  void findsTheSlowTransformAndEnoughWorkers(@TempDir Path folder) {
    LoaderTrials trials = new LoaderTrials(List.of(0, 1, 2, 4, 8), 5, 24);
    int status =
        Programs.run(
            Programs.python("slow_loader.py"),
            folder,
            RecordingSettings.unprofiled(4, 9).withStress(trials.json()));
    assertThat(status).isZero();
    LoaderReport report = LoaderReport.of(CaptureFolder.read(folder));
    assertThat(report.text()).contains("Most of an item goes into DecodeFromStorage.__call__");
    LoaderReport.Setting enough = Objects.requireNonNull(report.recommended(), report::text);
    assertThat(enough.workers()).isGreaterThan(1);
    assertThat(enough.slowestBatchesPerSecond()).isGreaterThan(report.neededBatchesPerSecond());
    assertThat(report.settings().getFirst().batchesPerSecond()).isLessThan(32);
  }
}
