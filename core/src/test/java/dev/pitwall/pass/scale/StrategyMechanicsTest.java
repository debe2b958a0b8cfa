package dev.pitwall.pass.scale;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.PyTorch;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.hardware.GpuSpecs;
import dev.pitwall.hardware.RankGroup;
import dev.pitwall.json.Json;
import dev.pitwall.scale.Cluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/// What the passes insert against what PyTorch itself does with two gloo processes.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StrategyMechanicsTest {
  private Json truth = Json.Null.NULL;

  @BeforeAll
  void runPyTorch(@TempDir Path folder) throws IOException, InterruptedException {
    Path python = PyTorch.require();
    Path script = folder.resolve("mechanics.py");
    try (var source = getClass().getResourceAsStream("/dev/pitwall/scale/mechanics.py")) {
      Files.write(script, Objects.requireNonNull(source).readAllBytes());
    }
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
    process.waitFor();
    String line = output.lines().filter(text -> text.startsWith("RESULT ")).findFirst().orElse("");
    assertThat(line).as(output).isNotEmpty();
    truth = Json.parse(line.substring("RESULT ".length()));
  }

  @Test
  void bucketsEndWherePyTorchEndsThemInTheFirstIterationAndLater() {
    for (Json run : truth.get("ddp")) {
      DataParallelOptions options =
          new DataParallelOptions(
              run.get("cap").number(0),
              false,
              run.get("find_unused").bool(false),
              run.get("static_graph").bool(false),
              false);
      String described = options.toString();
      assertThat(bucketBytes(run, options.inFirstIteration()))
          .as("first iteration, %s", described)
          .containsExactly(boxed(run.get("first_bucket_bytes")));
      boolean neverRebuilt = run.get("rebuilt_bucket_bytes").size() == 0;
      assertThat(bucketBytes(run, options))
          .as("later, %s", described)
          .containsExactly(
              boxed(run.get(neverRebuilt ? "first_bucket_bytes" : "rebuilt_bucket_bytes")));
    }
  }

  private static List<Long> bucketBytes(Json run, DataParallelOptions options) {
    long[] bytes =
        Arrays.stream(longs(run.get("gradients"))).map(elements -> elements * 4).toArray();
    List<Long> sizes = new ArrayList<>();
    int begin = 0;
    for (int end : GradientBuckets.of(bytes, options)) {
      sizes.add(Arrays.stream(bytes, begin, end + 1).sum());
      begin = end + 1;
    }
    return sizes;
  }

  private static Long[] boxed(Json array) {
    return Arrays.stream(longs(array)).boxed().toArray(Long[]::new);
  }

  @Test
  void collectivesOfFullyShardedLayersComeInPyTorchsOrder() {
    for (Json run : truth.get("fsdp2")) {
      long[] units = longs(run.get("units"));
      List<String> expected = new ArrayList<>();
      for (Json call : run.get("calls")) {
        long elements = call.get(1).integer(0);
        String name = "root";
        for (int unit = 0; unit < units.length; unit++) {
          if (units[unit] == elements) {
            name = "layer " + unit;
          }
        }
        expected.add(call.get(0).text("") + " " + name);
      }
      assertThat(collectives(units, run.get("reshard").bool(true))).isEqualTo(expected);
    }
  }

  private static List<String> collectives(long[] units, boolean reshard) {
    List<LayeredStep.UnitTimes> times = new ArrayList<>();
    times.add(
        new LayeredStep.UnitTimes("embedding", new long[] {33_280}, false, 1000, 1000, 1000, 1000));
    for (int unit = 0; unit < units.length; unit++) {
      times.add(
          new LayeredStep.UnitTimes(
              "layer " + unit, new long[] {units[unit]}, true, 1000, 9000, 1000, 9000));
    }
    times.add(
        new LayeredStep.UnitTimes("head", new long[] {16_416}, false, 1000, 1000, 1000, 1000));
    LayeredStep plain = LayeredStep.build(times, 1, 1000, 1000);
    Communication communication =
        new Communication(
            new RankGroup(2, 2, 1),
            Cluster.reference(GpuSpecs.known().find("H200").orElseThrow(), 2).network(),
            GpuSpecs.known().find("H200").orElseThrow(),
            2,
            4);
    ExecutionGraph graph =
        new FullyShardedPass(communication, new HostCosts(1), true, reshard, true, null)
            .apply(plain)
            .graph();
    List<String> labels = new ArrayList<>();
    for (int node = 0; node < graph.nodes(); node++) {
      if (graph.resources().get(graph.resource(node)).name().equals("nccl")) {
        labels.add(graph.label(node));
      }
    }
    return labels;
  }

  private static long[] longs(Json array) {
    long[] values = new long[array.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = array.get(i).integer(0);
    }
    return values;
  }
}
