package dev.pitwall.observe.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitwall.SharedData;
import dev.pitwall.error.PitwallException;
import dev.pitwall.trace.flight.FlightDump;
import dev.pitwall.trace.flight.FlightDump.Entry;
import dev.pitwall.trace.flight.FlightDump.State;
import dev.pitwall.trace.flight.FlightDumpReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class HangTest {
  @Test
  void theRankThatNeverEnteredAndWaitsForNobodyIsTheFirstCause() {
    // Rank 2 stops before all_reduce #8 of the world; rank 3 waits for it in a smaller group and so
    // never comes to #8 either, but is not to blame.
    Map<String, List<Integer>> groups = Map.of("0", List.of(0, 1, 2, 3), "5", List.of(2, 3));
    Hang hang =
        Hang.of(
            List.of(
                dump(
                    0,
                    groups,
                    entry("0", 7, State.COMPLETED, "[[4]]"),
                    entry("0", 8, State.SCHEDULED, "[[4]]")),
                dump(
                    1,
                    groups,
                    entry("0", 7, State.COMPLETED, "[[4]]"),
                    entry("0", 8, State.SCHEDULED, "[[4]]")),
                dump(2, groups, entry("0", 7, State.COMPLETED, "[[4]]")),
                dump(
                    3,
                    groups,
                    entry("0", 7, State.COMPLETED, "[[4]]"),
                    entry("5", 3, State.STARTED, "[[1]]"))));
    assertThat(hang.causes()).containsExactly(2);
    assertThat(hang.sentence())
        .isEqualTo(
            "The hang began at rank 2: ranks 0, 1 wait in all_reduce #8 of default_pg (0), which it"
                + " never entered.");
  }

  @Test
  void differentSizesInOneCollectiveAreTheVerdictWithTheRanksOnEachSide() {
    Map<String, List<Integer>> groups = Map.of("0", List.of(0, 1, 2));
    Hang hang =
        Hang.of(
            List.of(
                dump(0, groups, entry("0", 1, State.STARTED, "[[4]]")),
                dump(1, groups, entry("0", 1, State.STARTED, "[[4]]")),
                dump(2, groups, entry("0", 1, State.STARTED, "[[5]]"))));
    assertThat(hang.mismatches()).hasSize(1);
    assertThat(hang.sentence())
        .contains("ranks 0, 1 nccl:all_reduce of [[4]]; rank 2 nccl:all_reduce of [[5]]");
  }

  @Test
  void aHealthyJobHasNoHang() {
    Map<String, List<Integer>> groups = Map.of("0", List.of(0, 1));
    Hang hang =
        Hang.of(
            List.of(
                dump(
                    0,
                    groups,
                    entry("0", 1, State.COMPLETED, "[[4]]"),
                    entry("0", 2, State.SCHEDULED, "[[4]]")),
                dump(
                    1,
                    groups,
                    entry("0", 1, State.COMPLETED, "[[4]]"),
                    entry("0", 2, State.SCHEDULED, "[[4]]"))));
    assertThat(hang.found()).isFalse();
  }

  @Test
  void aRankThatLeftNoDumpIsNamedAsTheCause() {
    Map<String, List<Integer>> groups = Map.of("0", List.of(0, 1));
    Hang hang = Hang.of(List.of(dump(0, groups, entry("0", 1, State.STARTED, "[[4]]"))));
    assertThat(hang.withoutDump()).containsExactly(1);
    assertThat(hang.sentence()).startsWith("The hang began at rank 1 (no dump");
  }

  @Test
  void theJsonFormOfADumpReadsLikeThePickle() throws IOException {
    String json =
        """
        {"version": "2.10", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}},
         "entries": [{"process_group": ["0", "default_pg"], "collective_seq_id": 4, "is_p2p": false,
           "profiling_name": "nccl:all_reduce", "input_sizes": [[16, 2]], "state": "started"}]}
        """;
    FlightDump dump =
        FlightDumpReader.read(json.getBytes(StandardCharsets.UTF_8), "nccl_trace_rank_3");
    assertThat(dump.rank()).isEqualTo(3);
    assertThat(dump.members()).containsEntry("0", List.of(0, 1));
    assertThat(dump.entries().getFirst().inputSizes()).isEqualTo("[[16, 2]]");
    assertThatThrownBy(() -> FlightDumpReader.read("{}".getBytes(StandardCharsets.UTF_8), "x.json"))
        .isInstanceOf(PitwallException.class)
        .hasMessageContaining("no NCCL flight recorder dump");
  }

  /// The public dumps come from jobs with injected faults; a log beside them says which ranks were
  /// hit.
  @Test
  void everyCauseFoundInThePublicDumpsIsARankThatWasHit() throws IOException {
    Pattern hit = Pattern.compile("ault ranks: \\[([0-9, ]+)]");
    int jobs = 0;
    try (Stream<Path> all = Files.walk(SharedData.require("corpus/flightrec"))) {
      for (Path folder : all.filter(Files::isDirectory).sorted().toList()) {
        List<FlightDump> dumps = new ArrayList<>();
        TreeSet<Integer> hitRanks = new TreeSet<>();
        try (Stream<Path> files = Files.list(folder)) {
          for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
            if (file.toString().endsWith(".log")) {
              Matcher ranks = hit.matcher(Files.readString(file));
              while (ranks.find()) {
                for (String rank : ranks.group(1).split(", *", -1)) {
                  hitRanks.add(Integer.parseInt(rank));
                }
              }
            } else {
              dumps.add(
                  FlightDumpReader.read(Files.readAllBytes(file), file.getFileName().toString()));
            }
          }
        }
        if (!dumps.isEmpty()) {
          jobs++;
          assertThat(Hang.of(dumps).causes()).as("%s", folder).isNotEmpty().isSubsetOf(hitRanks);
        }
      }
    }
    assertThat(jobs).isPositive();
  }

  private static FlightDump dump(int rank, Map<String, List<Integer>> groups, Entry... entries) {
    return new FlightDump(rank, "2.9", groups, List.of(entries));
  }

  private static Entry entry(String group, long sequence, State state, String sizes) {
    return new Entry(
        group,
        group.equals("0") ? "default_pg" : "",
        sequence,
        false,
        "nccl:all_reduce",
        sizes,
        sizes,
        "[Float]",
        state,
        1_000 * sequence,
        600_000,
        List.of());
  }
}
