package dev.pitwall.study;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pitwall.SharedData;
import dev.pitwall.error.PitwallException;
import dev.pitwall.json.Json;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.TraceReaders;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Predictions on real recordings against measured steps: a part of `PAIRS.tsv`; the accuracy board
/// runs them all.
class WhatIfTest {
  private static final String[][] PAIRS = {
    {"gpt2/item", "host-sync", "gpt2/base"},
    {"gpt2/math_attention", "unfused-attention", "gpt2/base"},
    {"gpt2/fp32", "tf32-off", "gpt2/tf32"},
    {"gpt2/tf32", "no-mixed-precision", "gpt2/base"},
    {"llama/base", "activation-checkpointing=on", "llama/ckpt"},
    {"llama/base", "layers=4", "llama/layers4"},
    {"llama/base", "seq=1024", "llama/seq1024"},
    {"resnet/loader_w2", "input-bound", "resnet/channels_last"},
  };

  @Test
  void predictedStepsAreWithinSixPercentInTheMedianAndNeverOfTheWrongSign() throws IOException {
    List<Double> errors = new ArrayList<>();
    for (String[] pair : PAIRS) {
      Prediction prediction = study(pair[0]).predict(List.of(Change.parse(pair[1])));
      double before = measuredMillis(pair[0]);
      double after = measuredMillis(pair[2]);
      assertEquals(
          Math.signum(before - after),
          Math.signum(prediction.gain().millis().value()),
          pair[0] + " " + pair[1] + ": the gain has the wrong sign");
      errors.add(Math.abs(prediction.after().value() / after - 1));
    }
    Collections.sort(errors);
    assertTrue(errors.get(errors.size() / 2) <= 0.06, "errors " + errors);
  }

  @Test
  void aRankingHasMostGainFirstAndItsCombinationIsNoWorseThanItsBest() {
    Ranking ranking = study("gpt2/item").rank();
    assertFalse(ranking.alone().isEmpty());
    for (int i = 1; i < ranking.alone().size(); i++) {
      assertTrue(
          ranking.alone().get(i - 1).gain().millis().value()
              >= ranking.alone().get(i).gain().millis().value());
    }
    assertTrue(
        ranking.together().after().value() <= ranking.alone().getFirst().after().value() + 1e-6);
  }

  @Test
  void theWorkloadThatWasRecordedIsNoChange() {
    WhatIf study = study("llama/layers4");
    for (String change : List.of("batch=4", "seq=2048", "layers=4")) {
      Prediction prediction = study.predict(List.of(Change.parse(change)));
      assertEquals(0, prediction.gain().fraction(), 1e-9, change);
    }
  }

  @Test
  void aLargerBatchLongerSequenceOrDeeperModelNeverTakesLess() {
    WhatIf study = study("llama/layers4");
    for (String axis : List.of("batch", "seq", "layers")) {
      double shorter = 0;
      for (int size : new int[] {1, 4, 64, 4096}) {
        double step =
            study.predict(List.of(new Change(axis, String.valueOf(size)))).after().value();
        assertTrue(step >= shorter, axis + "=" + size + " takes " + step + " ms");
        shorter = step;
      }
    }
  }

  @Test
  void aFixThatDoesNotApplyIsNamedWithTheReasonAndChangesNothing() {
    Prediction prediction = study("gpt2/base").predict(List.of(Change.parse("input-bound")));
    assertEquals(prediction.before(), prediction.after());
    assertEquals("the trace shows no DataLoader", prediction.notApplicable().getFirst().why());
  }

  @Test
  void aFindingIsAnsweredUnderItsOwnIdToo() {
    WhatIf study = study("resnet/base");
    assertEquals(study.gainOf("channels-last"), study.gainOf("channels-first"));
    assertTrue(study.gainOf("channels-first").orElseThrow().fraction() > 0.2);
  }

  @Test
  void anUnknownFixIsAWrongUsageThatNamesTheKnownOnes() {
    PitwallException refused =
        assertThrows(PitwallException.class, () -> Passes.named("go-faster"));
    assertTrue(String.valueOf(refused.getMessage()).contains("host-sync"), refused.getMessage());
  }

  private static WhatIf study(String trace) {
    return WhatIf.of(
        TraceIndex.of(
            TraceReaders.read(SharedData.require("h200/" + trace + ".trace.json.gz")), null));
  }

  private static double measuredMillis(String trace) throws IOException {
    String[] parts = trace.split("/");
    for (String line :
        Files.readAllLines(SharedData.require("h200/" + parts[0] + "/truth.jsonl"))) {
      Json truth = Json.parse(line);
      if (truth.get("variant").text("").equals(parts[1])) {
        return truth.get("step_ms").number(Double.NaN);
      }
    }
    throw new IllegalStateException("no measured step of " + trace);
  }
}
