package dev.pitwall.capture.tune;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.capture.RankRecording;
import dev.pitwall.json.Json;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TuneStudyTest {
  private final List<String> order = new ArrayList<>();
  private long seconds;

  /// A program whose variants take these milliseconds, with a little noise; each run takes a
  /// second.
  private VariantRunner program(Map<String, Double> millis, String facts) {
    SplittableRandom random = new SplittableRandom(1);
    return (variant, round, limit) -> {
      order.add(variant.name());
      seconds++;
      Double mean = millis.get(variant.name());
      if (mean == null) {
        return new TuneRun(round, null, "RuntimeError: no such mode", Path.of("x"));
      }
      double step = mean * (1 + 0.002 * (random.nextDouble() - 0.5));
      Json truth = Json.parse("{\"step_ms\":" + step + ",\"losses\":[2.0,1.5]" + facts + "}");
      return new TuneRun(
          round,
          new RankRecording(
              "rank0",
              Json.Null.NULL,
              "optimizer",
              List.of(),
              truth,
              null,
              Json.Null.NULL,
              List.of(),
              List.of(),
              "done in measure"),
          null,
          Path.of("x"));
    };
  }

  private List<TuneRow> run(VariantRunner runner, long budget, int rounds, Set<String> findings) {
    return new TuneStudy(
            runner,
            budget,
            2,
            rounds,
            TuneVariant.compileModes(TuneVariant.MODES),
            4,
            folder -> findings,
            line -> {},
            () -> seconds)
        .execute();
  }

  @Test
  void stopsAsSoonAsEveryComparisonIsDecided() {
    List<TuneRow> rows =
        run(
            program(
                Map.of(
                    "as written", 10.0,
                    "default", 8.0,
                    "reduce-overhead", 6.0,
                    "max-autotune", 12.0,
                    "max-autotune-no-cudagraphs", 9.0),
                ""),
            1000,
            9,
            Set.of());
    TuneTable table = new TuneTable(rows, 0.02, Map.of());
    assertThat(rows).allMatch(row -> row.runs().size() < 9);
    assertThat(Objects.requireNonNull(table.best()).variant().name()).isEqualTo("reduce-overhead");
    assertThat(rows.stream().map(table::verdict))
        .containsExactly(
            TuneTable.Verdict.BASE,
            TuneTable.Verdict.FASTER,
            TuneTable.Verdict.FASTEST,
            TuneTable.Verdict.SLOWER,
            TuneTable.Verdict.FASTER);
    assertThat(order.subList(0, 5)).doesNotHaveDuplicates();
    assertThat(table.text()).contains("Take reduce-overhead: 1.67 times as fast");
  }

  @Test
  void equalVariantsAreNoGain() {
    List<TuneRow> rows =
        run(program(Map.of("as written", 10.0, "default", 10.0), ""), 1000, 20, Set.of());
    TuneTable table = new TuneTable(rows, 0.02, Map.of());
    assertThat(table.verdict(rows.get(1))).isEqualTo(TuneTable.Verdict.EQUAL);
    assertThat(table.best()).isNull();
    assertThat(table.text()).contains("Keep the program as it is");
  }

  @Test
  void aModeThatFailsIsARowWithItsReason() {
    List<TuneRow> rows = run(program(Map.of("as written", 10.0), ""), 1000, 5, Set.of());
    assertThat(rows).hasSize(5);
    assertThat(new TuneTable(rows, 0.02, Map.of()).text())
        .contains("max-autotune ")
        .contains("failed: RuntimeError: no such mode");
    assertThat(order).as("what fails is not tried again").hasSize(5);
  }

  @Test
  void noRunBeginsAfterTheBudget() {
    run(program(Map.of("as written", 10.0, "default", 9.9), ""), 3, 50, Set.of());
    assertThat(order).hasSize(3);
  }

  @Test
  void dynamicAndFullGraphAreTriedWhereTheyMeanSomething() {
    run(
        program(
            Map.of("as written", 10.0, "default", 9.0),
            ",\"recompiles\":2,\"graph_breaks\":1,\"own_compile_calls\":[\"Net\"]"),
        100,
        1,
        Set.of("tf32-off", "input-bound"));
    assertThat(order)
        .contains("eager", "default, dynamic", "default, fullgraph", "tf32", "4 loader workers");
  }

  @Test
  void aFasterVariantWithOtherLossesIsNotChosen() {
    VariantRunner honest = program(Map.of("as written", 10.0), "");
    VariantRunner wrong = program(Map.of("default", 5.0), ",\"losses\":[2.0,1.7]");
    List<TuneRow> rows =
        run(
            (variant, round, limit) ->
                (variant.name().equals("default") ? wrong : honest).run(variant, round, limit),
            1000,
            3,
            Set.of());
    TuneTable table = new TuneTable(rows, 0.02, Map.of());
    assertThat(table.verdict(rows.get(1))).isEqualTo(TuneTable.Verdict.DIFFERS);
    assertThat(table.best()).isNull();
    assertThat(table.text()).contains("losses differ by 11.8 %");
  }
}
