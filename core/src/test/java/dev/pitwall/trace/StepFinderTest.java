package dev.pitwall.trace;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StepFinderTest {
  @Test
  void rangesThatSayStepNameTheStepsAndWarmUpDoesNot() {
    TinyTrace trace = new TinyTrace().cpu("main", Category.USER_ANNOTATION, "training", 0, 1_000);
    for (int step = 0; step < 5; step++) {
      trace.cpu("main", Category.USER_ANNOTATION, "Warm-up Step " + step, 10 * step, 9);
    }
    for (int step = 0; step < 3; step++) {
      trace
          .cpu("main", Category.USER_ANNOTATION, "iteration " + step, 100 + 100 * step, 90)
          .cpu("main", Category.USER_ANNOTATION, "forward", 110 + 100 * step, 30);
    }
    Steps steps = trace.index().steps();
    assertThat(steps.source()).isEqualTo(Steps.Source.NAMED_RANGE);
    assertThat(steps.name()).isEqualTo("iteration");
    assertThat(steps.count()).isEqualTo(3);
  }

  @Test
  void rangesThatAreNeverClosedBeginTheNextStep() {
    TinyTrace trace = new TinyTrace();
    for (int step = 0; step < 4; step++) {
      trace.cpu(
          "main", Category.USER_ANNOTATION, "iteration" + step, 100 * step, 1_000 - 100 * step);
    }
    Steps steps = trace.index().steps();
    assertThat(steps.source()).isEqualTo(Steps.Source.INFERRED);
    assertThat(steps.count()).isEqualTo(3);
    assertThat(steps.endNanos()[0]).isEqualTo(steps.startNanos()[1]);
  }

  @Test
  void rangesThatRepeatAroundNearlyAllOfTheTimeAreStepsWhateverTheirName() {
    TinyTrace trace = new TinyTrace();
    for (int step = 0; step < 4; step++) {
      trace.cpu("main", Category.USER_ANNOTATION, "train", 100 * step, 90);
    }
    assertThat(trace.index().steps().name()).isEqualTo("train");
    TinyTrace sparse = new TinyTrace();
    for (int step = 0; step < 4; step++) {
      sparse.cpu("main", Category.USER_ANNOTATION, "save", 100 * step, 20);
    }
    assertThat(sparse.index().steps().source()).isEqualTo(Steps.Source.NONE);
  }
}
