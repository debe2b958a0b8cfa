package dev.pitwall.capture.tune;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.capture.Programs;
import dev.pitwall.capture.RecordingSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Every mode of the real torch.compile on a tiny program, once each.
class TuneProgramTest {
  @Test
  void everyModeIsARowWithACheckedLoss(@TempDir Path folder) {
    List<TuneRow> rows =
        new TuneStudy(
                new ProgramVariantRunner(
                    Programs.python("tiny.py"), folder, RecordingSettings.unprofiled(4, 6)),
                600,
                1,
                1,
                TuneVariant.compileModes(TuneVariant.MODES),
                2,
                run -> Set.of(),
                line -> {},
                () -> System.nanoTime() / 1_000_000_000)
            .execute();
    TuneTable table = new TuneTable(rows, 0.02, Map.of());
    assertThat(rows).extracting(row -> row.variant().name()).hasSize(5);
    assertThat(rows).as(table.text()).allMatch(TuneRow::measured);
    TuneRow base = rows.getFirst();
    assertThat(rows.subList(1, 5))
        .allSatisfy(
            row -> {
              assertThat(row.module()).isEqualTo("Sequential");
              assertThat(row.lossDifference(base)).isLessThan(0.001);
              assertThat(row.recompiles()).isZero();
              assertThat(table.compileSeconds(row)).isGreaterThan(table.compileSeconds(base));
            });
  }
}
