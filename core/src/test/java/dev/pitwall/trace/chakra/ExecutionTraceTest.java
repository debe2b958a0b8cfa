package dev.pitwall.trace.chakra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitwall.SharedData;
import dev.pitwall.error.PitwallException;
import dev.pitwall.trace.TraceInput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ExecutionTraceTest {
  @Test
  void attributesReadTheSameInTheOldAndTheNewSchema() {
    String old =
        """
        {"schema": "1.0.1", "nodes": [{"name": "aten::mm", "id": 5, "rf_id": 3, "parent": 4,
          "input_shapes": [[8, 4], [4, 2]]}]}\
        """;
    String recent =
        """
        {"schema": "1.0.2-chakra.0.0.4", "nodes": [{"name": "aten::mm", "id": 5, "ctrl_deps": 4,
          "inputs": {"values": [], "shapes": [[8, 4], [4, 2]], "types": []},
          "attrs": [{"name": "rf_id", "type": "uint64", "value": 3}]}]}\
        """;
    assertThat(ExecutionTrace.parse(old, "a").nodes())
        .isEqualTo(ExecutionTrace.parse(recent, "b").nodes())
        .containsExactly(new ExecutionTrace.Node(5, "aten::mm", 4, 3, "[[8, 4], [4, 2]]"));
  }

  @Test
  void aCutFileIsRefusedInOneSentence() {
    assertThatThrownBy(() -> ExecutionTrace.parse("{\"nodes\": [", "run_et.json"))
        .isInstanceOf(PitwallException.class)
        .hasMessageStartingWith("run_et.json is no whole execution trace: expected");
  }

  @Test
  void everyPublicExecutionTraceInJsonIsRead() throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(SharedData.require("corpus/chakra"))) {
      files = all.filter(file -> file.toString().endsWith(".json.gz")).sorted().toList();
    }
    int read = 0;
    for (Path file : files) {
      try (TraceInput input = TraceInput.open(file)) {
        byte[] bytes = input.stream().readAllBytes();
        if (bytes.length > 0 && bytes[0] == '{') {
          assertThat(
                  ExecutionTrace.parse(new String(bytes, StandardCharsets.UTF_8), "et")
                      .operatorCounts())
              .as("%s", file)
              .isNotEmpty();
          read++;
        }
      }
    }
    assertThat(read).isGreaterThan(20);
  }
}
