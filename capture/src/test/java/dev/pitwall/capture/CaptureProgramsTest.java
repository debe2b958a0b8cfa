package dev.pitwall.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.pitwall.json.Json;
import dev.pitwall.report.TextPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Real programs on a real PyTorch, none of them edited. Each has a stopwatch of its own.
class CaptureProgramsTest {
  @TempDir Path temporary;

  @Test
  void plainLoop() throws IOException {
    RankRecording rank = captureOne(Programs.python("plain_loop.py"), "optimizer Adam");
    assertThat(rank.batchesPerStep()).isEqualTo(1);
    assertThat(Programs.log(temporary.resolve("run"))).contains("batch 50 loss");
  }

  @Test
  void trainerClass() throws IOException {
    captureOne(Programs.python("trainer_class.py"), "optimizer AdamW");
  }

  @Test
  void fourBackwardPassesAreOneStep() throws IOException {
    RankRecording rank = captureOne(Programs.python("accumulation.py"), "optimizer SGD");
    assertThat(rank.steps()).hasSize(10 + 1 + 24 + 5);
  }

  @Test
  void compiledModelWithAGraphBreak() throws IOException {
    captureOne(Programs.python("compiled_break.py"), "optimizer AdamW");
    assertThat(temporary.resolve("run/torch_trace"))
        .isDirectoryContaining(file -> file.getFileName().toString().contains("torch_trace"));
  }

  @Test
  void everyRankOfTorchrun() throws IOException {
    Path folder = temporary.resolve("run");
    assertThat(Programs.run(Programs.torchrun("two_ranks.py"), folder, Programs.settings()))
        .isZero();
    List<RankRecording> ranks = CaptureFolder.read(folder);
    assertThat(ranks).extracting(RankRecording::name).containsExactly("rank0", "rank1");
    for (int rank = 0; rank < 2; rank++) {
      assertThat(ranks.get(rank).start().get("world").integer(0)).isEqualTo(2);
      agreesWithStopwatch(ranks.get(rank), rank, folder);
    }
    assertThat(Files.readAllLines(folder.resolve("truth.jsonl"))).hasSize(2);
  }

  @Test
  void aKilledProgramLeavesWhatItHadRecorded() {
    Path folder = temporary.resolve("run");
    int status =
        Programs.run(Programs.python("short_life.py", "kill", "30"), folder, Programs.settings());
    assertThat(status).isEqualTo(128 + 9);
    RankRecording rank = CaptureFolder.read(folder).getFirst();
    assertThat(rank.ended()).isNull();
    assertThat(rank.steps("warmup")).hasSize(10);
    assertThat(rank.steps("measure")).hasSizeGreaterThanOrEqualTo(16);
    TextPage page = new TextPage(100, false);
    CaptureSummary.write(List.of(rank), page);
    assertThat(page.toString()).contains("ended from outside").contains("not complete");
  }

  @Test
  void theProgramsStatusAndOutputAreItsOwn() throws IOException {
    Path folder = temporary.resolve("run");
    int status =
        Programs.run(Programs.python("short_life.py", "exit", "20"), folder, Programs.settings());
    assertThat(status).isEqualTo(7);
    assertThat(Programs.log(folder)).endsWith("the user's last line\n");
    assertThat(CaptureFolder.read(folder).getFirst().ended()).isEqualTo("exit in measure");
  }

  @Test
  void aNamedFunctionIsTheStepWhereNoOptimizerSteps() {
    Path folder = temporary.resolve("run");
    assertThat(
            Programs.run(
                Programs.python("own_loop.py"),
                folder,
                Programs.settings().withStepFunction("train_one")))
        .isZero();
    RankRecording rank = CaptureFolder.read(folder).getFirst();
    assertThat(rank.stepMarker()).isEqualTo("function train_one");
    assertThat(rank.traceFile()).isNotNull();
  }

  @Test
  void theUsersOwnSitecustomizeStillRuns() throws IOException {
    Path own = Files.createDirectories(temporary.resolve("own"));
    Files.writeString(
        own.resolve("sitecustomize.py"), "import builtins\nbuiltins.from_the_user = 'it ran'\n");
    Path folder = temporary.resolve("run");
    Path python = dev.pitwall.PyTorch.require();
    int status =
        new ProgramRun(
                List.of(
                    python.toString(),
                    "-c",
                    "import sys; print(from_the_user, sys.modules['sitecustomize'].__file__)"),
                folder,
                Programs.settings(),
                Map.of("PYTHONPATH", own.toString()),
                ProgramRun.Output.LOG_FILE)
            .execute();
    assertThat(status).isZero();
    assertThat(Programs.log(folder)).isEqualTo("it ran " + own.resolve("sitecustomize.py") + "\n");
  }

  private RankRecording captureOne(List<String> command, String marker) throws IOException {
    Path folder = temporary.resolve("run");
    assertThat(Programs.run(command, folder, Programs.settings())).isZero();
    List<RankRecording> ranks = CaptureFolder.read(folder);
    assertThat(ranks).hasSize(1);
    RankRecording rank = ranks.getFirst();
    assertThat(rank.stepMarker()).isEqualTo(marker);
    assertThat(rank.ended()).isEqualTo("done in window");
    assertThat(rank.faults()).isEmpty();
    assertThat(folder.resolve("rank0.trace.json.gz")).exists();
    assertThat(rank.truth().get("overhead_percent").number(100)).isLessThan(5);
    agreesWithStopwatch(rank, 0, folder);
    return rank;
  }

  /// The unprofiled steps against the program's own clock, step by step: the median ratio, since a
  /// crowded machine may hold the program up between the two readings of one step.
  private static void agreesWithStopwatch(RankRecording rank, int number, Path folder)
      throws IOException {
    String prefix = "stopwatch " + number + " ";
    String line =
        Programs.log(folder).lines().filter(l -> l.startsWith(prefix)).findFirst().orElseThrow();
    Json laps = Json.parse(line.substring(prefix.length()));
    List<RankRecording.Step> measured = rank.steps("measure");
    assertThat(measured).hasSize(24);
    double ratio =
        median(
            measured.stream()
                .mapToDouble(
                    step -> step.wallNanos() / 1e6 / laps.get(step.index()).number(Double.NaN)));
    assertThat(ratio).isCloseTo(1, within(0.03));
  }

  private static double median(DoubleStream values) {
    double[] sorted = values.sorted().toArray();
    return (sorted[sorted.length / 2 - 1] + sorted[sorted.length / 2]) / 2;
  }
}
