package dev.pitwall.scale;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.PyTorch;
import dev.pitwall.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmitterTest {
  private static final PlanRequest REQUEST =
      new PlanRequest(
          ModelCatalogue.known().require("llama-3-8b"),
          Cluster.parse("8xH100/2nodes:ib400"),
          4096,
          1 << 20,
          false,
          0);

  @TempDir private Path folder;

  @Test
  void fsdpCodeTrainsWithTwoGlooProcesses() throws IOException, InterruptedException {
    Strategy hybrid = Strategy.data(Sharding.FSDP2, 16, 2).withShard(8).with(Checkpointing.FULL);
    assertThat(runOnTwoRanks(Emitter.fsdp2(hybrid, false))).contains("loss ");
  }

  @Test
  void offloadedFsdpCodeTrainsToo() throws IOException, InterruptedException {
    Strategy offloaded = Strategy.data(Sharding.FSDP2, 16, 1).with(Offload.ALL_CPU);
    assertThat(runOnTwoRanks(Emitter.fsdp2(offloaded, false))).contains("loss ");
  }

  @Test
  void ddpCodeAccumulatesWithoutSynchronizing() throws IOException, InterruptedException {
    Strategy accumulating = Strategy.data(Sharding.DDP, 16, 2).withMicroBatch(2, 3);
    assertThat(runOnTwoRanks(Emitter.ddp(accumulating, true))).contains("loss ");
  }

  private String runOnTwoRanks(String code) throws IOException, InterruptedException {
    Path python = PyTorch.require();
    Path script = Files.writeString(folder.resolve("train.py"), code);
    Process process =
        new ProcessBuilder(
                python.toString(),
                "-m",
                "torch.distributed.run",
                "--standalone",
                "--nproc-per-node=2",
                script.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  @Test
  void deepSpeedConfigurationHasOnlyDocumentedKeys() throws IOException {
    Json known;
    try (var in = EmitterTest.class.getResourceAsStream("deepspeed_keys.json")) {
      known = Json.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
    for (Sharding sharding : List.of(Sharding.ZERO1, Sharding.ZERO2, Sharding.ZERO3)) {
      for (Offload offload : Offload.values()) {
        Strategy strategy = Strategy.data(sharding, 16, 2).with(offload).with(Checkpointing.FULL);
        checkKeys(Json.parse(Emitter.deepSpeed(strategy, REQUEST)), known, sharding.text());
      }
    }
  }

  private static void checkKeys(Json config, Json known, String where) {
    if (!(config instanceof Json.Obj object)) {
      return;
    }
    for (Map.Entry<String, Json> member : object.members().entrySet()) {
      Json schema = known.get(member.getKey());
      assertThat(schema.isNull()).as(where + "." + member.getKey() + " is documented").isFalse();
      String type = schema.text("object");
      Json value = member.getValue();
      assertThat(
              switch (type) {
                case "integer" ->
                    value instanceof Json.Number number && !number.text().contains(".");
                case "number" -> value instanceof Json.Number;
                case "boolean" -> value instanceof Json.Bool;
                case "string" -> value instanceof Json.Text;
                default -> value instanceof Json.Obj;
              })
          .as(where + "." + member.getKey() + " is a " + type)
          .isTrue();
      checkKeys(value, schema, where + "." + member.getKey());
    }
  }

  @Test
  void theRecommendedStrategyComesFirstWithTheLineThatLaunchesIt() {
    Plan plan = Planner.plan(REQUEST);
    List<Emitter.Emitted> files = Emitter.files(plan);
    assertThat(files.getFirst().describes())
        .isEqualTo(plan.best().getFirst().strategy().describe());
    assertThat(files.getFirst().recommended()).isTrue();
    assertThat(files).extracting(Emitter.Emitted::name).doesNotHaveDuplicates();
    Emitter.Emitted launch = files.get(1);
    assertThat(launch.name()).isEqualTo("run.sh");
    assertThat(launch.content())
        .contains("--nnodes=2")
        .contains("--nproc-per-node=8")
        .contains(files.getFirst().name());
  }

  @Test
  void megatronArgumentsAreThoseOfTheModelAndTheStrategy() {
    Strategy strategy =
        new Strategy(
            Sharding.ZERO1,
            new Strategy.Layout(2, 2, 4, true, 2, 4, 1, 1),
            1,
            8,
            Checkpointing.FULL,
            true,
            Offload.NONE);
    assertThat(MegatronArguments.of(strategy, REQUEST))
        .contains(
            "--num-layers 32",
            "--num-query-groups 8",
            "--tensor-model-parallel-size 4",
            "--sequence-parallel",
            "--num-virtual-stages-per-pipeline-rank 4",
            "--use-distributed-optimizer",
            "--global-batch-size 16",
            "--recompute-granularity full");
  }
}
