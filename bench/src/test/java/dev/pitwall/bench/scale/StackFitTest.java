package dev.pitwall.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.SharedData;
import dev.pitwall.scale.SoftwareStack;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The data file of stacks is what `bench/fit-stacks` writes. Two small stacks stand for all.
class StackFitTest {
  @ParameterizedTest
  @ValueSource(strings = {"jax", "internevo"})
  void theCommittedConstantsAreThoseOfTheFit(String stack) {
    Path data = SharedData.require("tables").resolveSibling("");
    assertThat(StackFit.fit(data, stack).stack()).isEqualTo(SoftwareStack.named(stack));
  }
}
