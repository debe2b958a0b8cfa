package dev.pitwall.study;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.SharedData;
import dev.pitwall.pass.compile.CompileMode;
import dev.pitwall.trace.TraceFiles;
import dev.pitwall.trace.TraceIndex;
import java.util.List;
import org.junit.jupiter.api.Test;

class CompileChoiceTest {
  @Test
  void shapesThatVaryRuleOutCudaGraphsAndAskForDynamicShapes() {
    CompileChoice varying = choice("gpt2/varlen");
    assertThat(varying.shapesVary()).isTrue();
    assertThat(varying.mode()).isEqualTo(CompileMode.DEFAULT);
    assertThat(varying.code()).contains("dynamic=True");
    for (String fixed : List.of("gpt2/item", "small/base", "resnet/loader_w0")) {
      assertThat(choice(fixed).shapesVary()).as(fixed).isFalse();
    }
  }

  @Test
  void aPredictionNamesTheModeThatRan() {
    Prediction prediction = study("gpt2/item").predict(List.of(Change.parse("compile")));
    assertThat(prediction.applied())
        .extracting(Change::toString)
        .containsExactly("compile=default");
  }

  private static CompileChoice choice(String name) {
    return study(name).compileChoice().orElseThrow();
  }

  private static WhatIf study(String name) {
    return WhatIf.of(
        TraceIndex.of(
            TraceFiles.read(SharedData.require("h200/" + name + ".trace.json.gz")).getFirst(),
            null));
  }
}
