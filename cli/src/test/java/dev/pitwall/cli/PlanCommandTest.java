package dev.pitwall.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.pitwall.SharedData;
import dev.pitwall.json.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class PlanCommandTest {
  @TempDir private Path folder;

  private record Run(int status, String out, String err) {}

  private static Run run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine commandLine = Pitwall.commandLine();
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    int status = commandLine.execute(arguments);
    return new Run(status, out.toString(), err.toString());
  }

  @Test
  void anAliasIsPlannedUnderTheNameOfItsShape() {
    Run run = run("plan", "--model", "llama-3.1-8b", "--cluster", "8xH100");
    assertThat(run.status()).isZero();
    assertThat(run.out()).startsWith("llama-3.1-8b is planned as llama-3-8b, whose shape it has.");
    Run spelled = run("plan", "--model", "Llama 3 8B", "--cluster", "8xH100");
    assertThat(spelled.out()).startsWith("llama-3-8b, ");
  }

  @Test
  void aStepThatTalksToOtherGpusIsNoStepOfOne() {
    Path trace = SharedData.require("h200/multi/s_fsdp2.rank0.trace.json.gz");
    Run run = run("plan", "--trace", trace.toString(), "--cluster", "8xH200");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("of a job of 2 ranks", "collectives");
  }

  @Test
  void aSmallModelKeepsItsPositionsAndItsLayersWhole() {
    Run run = run("plan", "--model", "gpt2", "--cluster", "8xH100");
    assertThat(run.out())
        .startsWith("gpt2 has 1,024 learned positions, so sequences are as long")
        .doesNotContain("on CPU", "-0 %");
    assertThat(run.out().lines().filter(line -> line.startsWith("Take ")).findFirst().orElse(""))
        .doesNotContain("TP ", "PP ");
    String longer = run("plan", "--model", "gpt2", "--cluster", "8xH100", "--seq", "4096").out();
    assertThat(longer).contains("sequences of 4,096 need more of them");
    assertThat(longer.lines().filter(line -> line.startsWith("Take ")).findFirst().orElse(""))
        .doesNotContain("TP ", "PP ");
  }

  @Test
  void emitWritesTheRecommendedStrategyAndSaysWhatItWrote() throws IOException {
    Path to = folder.resolve("out");
    Run run =
        run("plan", "--model", "llama-3.2-1b", "--cluster", "8xH100", "--emit", to.toString());
    assertThat(run.status()).isZero();
    String take = run.out().lines().filter(line -> line.startsWith("Take ")).findFirst().orElse("");
    String strategy = take.substring("Take ".length(), take.indexOf(':'));
    String recommended =
        run.out().lines().filter(line -> line.contains(", recommended: ")).findFirst().orElse("");
    assertThat(recommended).endsWith(strategy);
    String launch = Files.readString(to.resolve("run.sh"));
    assertThat(launch).contains(strategy);
    String file = recommended.strip().substring(0, recommended.strip().indexOf(','));
    assertThat(launch).contains("$here/" + file);
    assertThat(to.resolve(file)).exists();
    // Every program that the line starts is there, or asked for.
    assertThat(launch.contains("$here/train_") || launch.contains("program=${1:?")).isTrue();
  }

  @Test
  void emitNeitherOverwritesWhatIsNotItsOwnNorPrintsAPlanFirst() throws IOException {
    String to = folder.resolve("out").toString();
    String[] command = {"plan", "--model", "llama-3.2-1b", "--cluster", "8xH100", "--emit", to};
    assertThat(run(command).status()).isZero();
    assertThat(run(command).status()).isZero();
    Path launch = Files.writeString(folder.resolve("out/run.sh"), "mine");
    Run refused = run(command);
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.out()).isEmpty();
    assertThat(refused.err()).contains("would overwrite run.sh");
    assertThat(launch).hasContent("mine");
    command[6] = launch + "/below";
    Run below = run(command);
    assertThat(below.status()).isEqualTo(2);
    assertThat(below.out()).isEmpty();
    assertThat(below.err()).contains("choose another one for --emit");
  }

  @ParameterizedTest
  @ValueSource(strings = {"NaN", "1e400", "-1"})
  void aPriceIsANumber(String price) {
    Run run = run("plan", "--model", "gpt2", "--cluster", "8xH100", "--price", price);
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("--price is dollars");
  }

  @Test
  void whereNothingDividesMoreGpusAreNotAdvised() {
    Run run = run("plan", "--model", "llama-3.1-8b", "--cluster", "7xH100/3nodes:ib400");
    assertThat(run.out().replaceAll("\\s+", " "))
        .contains("No configuration divides 21 GPUs and a batch of 1,024 sequences")
        .doesNotContain("Take more GPUs");
  }

  @Test
  void headsThatDoNotDivideTheHiddenSizeAreRemarked() throws IOException {
    Path model = Files.writeString(folder.resolve("m.yaml"), "layers: 2\nhidden: 65\nheads: 4\n");
    Run run = run("plan", "--model", model.toString(), "--cluster", "8xH100");
    assertThat(run.status()).isZero();
    assertThat(run.err()).contains("65 is no multiple of 4 heads");
  }

  @ParameterizedTest
  @ValueSource(strings = {"NaN,1", "-8,1", "8,3", "8,-2"})
  void aRowWhoseGpusMakeNoSenseIsRefusedWithAReason(String numbers) throws IOException {
    Path table =
        Files.writeString(
            folder.resolve("runs.csv"),
            "model,gpu,seq_len,micro_batch,n_gpus,tp\nllama-3-8b,H100,4096,1," + numbers + "\n");
    Run run = run("plan", "--table", table.toString());
    assertThat(run.status()).isZero();
    assertThat(run.out().lines().skip(1).findFirst().orElse(""))
        .containsPattern("is no number of GPUs|do not divide|is no degree");
  }

  @ParameterizedTest
  @ValueSource(strings = {"3d", "0x10p1", "10", "NaN", "-1%", "1e-2", "%", ""})
  void aShareIsWrittenInDigits(String share) {
    Run run = run("gate", "a", "b", "--max-regression", share);
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("takes a share such as 3% or 0.03");
  }

  @Test
  void explainIsInTheJsonAndOnThePage() throws IOException {
    Path page = folder.resolve("plan.html");
    Run run =
        run(
            "plan",
            "--model",
            "llama-3.2-1b",
            "--cluster",
            "8xH100",
            "--explain",
            "--json",
            "-",
            "--html",
            page.toString());
    assertThat(run.status()).isZero();
    Json plan = Json.parse(run.out()).get("plan");
    assertThat(plan.get("timeline").get("lanes").size()).isPositive();
    assertThat(plan.get("best").get(0).get("parts_ms").get("compute").number(0)).isPositive();
    assertThat(Files.readString(page))
        .contains("default-src 'none'")
        .contains("<svg")
        .doesNotContain("src=\"")
        .doesNotContain("http://");
  }

  @Test
  void whatIsNoTableOfRunsIsRefusedWithASentence() throws IOException {
    Path garbage = Files.writeString(folder.resolve("garbage.csv"), "\u0001\u0002 no, table\n\n");
    Run run = run("plan", "--table", garbage.toString());
    assertThat(run.status()).isEqualTo(3);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains("is no table of runs");
    Path empty = Files.writeString(folder.resolve("empty.csv"), "");
    assertThat(run("plan", "--table", empty.toString()).status()).isEqualTo(3);
  }

  @Test
  void aTracedJobIsPlannedFromTheStepThatAnalyzeEstimates() {
    Path trace = SharedData.require("h200/multi/s_single.rank0.trace.json.gz");
    Run planned = run("plan", "--trace", trace.toString(), "--cluster", "8xH200", "--json", "-");
    Run analyzed = run("analyze", trace.toString(), "--json", "-");
    Json plan = Json.parse(planned.out()).get("plan");
    assertThat(plan.get("single_step_ms").number(0))
        .isCloseTo(
            Json.parse(analyzed.out()).get("steps").get("estimated_ms").get("value").number(1),
            within(0.01));
    for (Json way : plan.get("strategies")) {
      double step = way.get("step_ms").get("value").number(1);
      double speedup =
          8 * way.get("micro_batches").number(1) * plan.get("single_step_ms").number(0) / step;
      assertThat(way.get("speedup").number(0))
          .as(way.get("name").text(""))
          .isCloseTo(speedup, within(0.01 * speedup));
    }
    String text = run("plan", "--trace", trace.toString(), "--cluster", "8xH200").out();
    assertThat(text).contains("at the recorded batch a GPU");
  }
}
