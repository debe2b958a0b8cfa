package dev.pitwall.study.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.study.ledger.RunPredictions.PredictedGain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LedgerTest {
  @TempDir Path folder;

  @Test
  void keepsWhatWasJudgedAndPassesOverALineThatIsCutOff() throws IOException {
    Path file = folder.resolve("home/ledger.jsonl");
    Ledger ledger = Ledger.open(file);
    ledger.record(entry("run \"1\"", 2.0, 1.5));
    ledger.record(entry("run \"1\"", 9.0, 9.0));
    ledger.record(entry("run 2", 2.0, 3.0));
    Files.writeString(file, "{\"subject\":\"ho", StandardOpenOption.APPEND);
    assertThat(Ledger.open(file).entries())
        .as("the same prediction judged by the same run counts once")
        .containsExactlyElementsOf(ledger.entries())
        .hasSize(2);
  }

  @Test
  void threeJudgementsCorrectAFixOnTheirDevice() {
    Ledger ledger = Ledger.open(folder.resolve("ledger.jsonl"));
    ledger.record(entry("a", 2.0, 1.0));
    ledger.record(entry("b", 2.0, 1.2));
    assertThat(ledger.correction("host-sync", "H200")).isEqualTo(1);
    ledger.record(entry("c", 2.0, 3.0));
    assertThat(ledger.correction("host-sync", "H200")).isCloseTo(0.6, within(1e-9));
    assertThat(ledger.correction("host-sync", "A100")).isEqualTo(1);
    RunPredictions corrected =
        new RunPredictions("H200", 40, null, List.of(gain("host-sync", 5), gain("tf32-off", 5)))
            .correctedBy(ledger);
    assertThat(corrected.gains().get(0).millis().value()).isCloseTo(3, within(1e-9));
    assertThat(corrected.gains().get(1).millis().value()).isEqualTo(5);
  }

  @Test
  void aFindingThatHasGoneIsJudgedByTheSecondRun() {
    RunPredictions before =
        new RunPredictions("H200", 50, null, List.of(gain("host-sync", 5), gain("compile", 8)));
    RunPredictions after = new RunPredictions("H200", 46, null, List.of(gain("compile", 7)));
    Verification verification = Verification.of(before, after).orElseThrow();
    assertThat(verification.fixed()).containsExactly("host-sync");
    assertThat(verification.measuredGainMillis()).isEqualTo(4);
    assertThat(verification.entry(folder, folder, "H200").errorOfStep())
        .isCloseTo(0.02, within(1e-9));
    assertThat(Verification.of(after, after)).isEmpty();
  }

  @Test
  void predictionsComeBackAsWritten() throws IOException {
    RunPredictions written =
        new RunPredictions("H200", 45.5, estimate(46.25), List.of(gain("host-sync", 1.5)));
    written.writeTo(folder);
    assertThat(RunPredictions.in(folder)).contains(written);
    assertThat(RunPredictions.in(folder.resolve("nothing"))).isEmpty();
  }

  private LedgerEntry entry(String before, double predicted, double measured) {
    return new LedgerEntry("host-sync", before, "after", "H200", 40, estimate(predicted), measured);
  }

  private static PredictedGain gain(String id, double millis) {
    return new PredictedGain(id, estimate(millis));
  }

  private static Estimate estimate(double value) {
    return new Estimate(value, value * 0.5, value * 1.5, Basis.SIMULATED);
  }
}
