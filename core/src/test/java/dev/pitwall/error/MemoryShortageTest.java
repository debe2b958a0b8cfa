package dev.pitwall.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class MemoryShortageTest {
  @Test
  void aHeapThatRanOutOnAnotherThreadIsTold() {
    OutOfMemoryError full = new OutOfMemoryError("Java heap space");
    assertThat(MemoryShortage.isBehind(full)).isTrue();
    assertThat(
            MemoryShortage.isBehind(new IllegalStateException("x", new CompletionException(full))))
        .isTrue();
    assertThat(MemoryShortage.isBehind(new IllegalStateException("x"))).isFalse();
    assertThat(MemoryShortage.isBehind(null)).isFalse();
  }

  @Test
  void theSentenceNamesTheLimitAndWhatToDo() {
    PitwallException sentence = MemoryShortage.of("run.json", new OutOfMemoryError());
    assertThat(sentence)
        .hasMessageStartingWith("run.json needs more than the ")
        .hasMessageContaining("MiB")
        .hasMessageContaining("PITWALL_JAVA_OPTIONS=-Xmx")
        .hasMessageContaining("a machine with more memory")
        .hasMessageContaining("fewer steps");
    assertThat(sentence.exitCode()).isEqualTo(ExitCode.UNREADABLE_INPUT);
  }
}
