package dev.pitwall.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitwall.error.PitwallException;
import dev.pitwall.hardware.Network;
import dev.pitwall.json.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlannerTest {
  private static Plan plan(String model, String cluster, int sequence, long tokens) {
    return Planner.plan(
        new PlanRequest(
            ModelCatalogue.known().require(model),
            Cluster.parse(cluster),
            sequence,
            tokens,
            true,
            2));
  }

  @Test
  void looksAtTenThousandConfigurationsOfALargeModel() {
    Plan plan = plan("llama-3.1-405b", "8xH100/128nodes:ib400", 8192, 16L << 20);
    assertThat(plan.considered()).isGreaterThan(10_000);
    assertThat(plan.best()).isNotEmpty();
    assertThat(plan.best().getFirst().mfu()).isBetween(0.3, 0.65);
  }

  @Test
  void everyStrategyItNamesFitsAndUsesTheWholeCluster() {
    Plan plan = plan("llama-3-70b", "8xH100/4nodes:ib400", 4096, 1 << 20);
    for (PlannedStrategy planned : plan.families()) {
      assertThat(planned.strategy().gpus()).isEqualTo(32);
      assertThat(planned.memory().deviceUsed()).isLessThanOrEqualTo(planned.memory().capacity());
      assertThat(planned.strategy().globalBatch() * 4096).isEqualTo(1 << 20);
      assertThat(planned.costPerBillionTokens()).isPositive();
    }
    assertThat(plan.best())
        .isSortedAccordingTo(
            (a, b) -> Double.compare(a.stepSeconds().value(), b.stepSeconds().value()));
  }

  @Test
  void aSlowerNetworkNeverMakesAStepFaster() {
    Cluster fast = Cluster.parse("8xA100/8nodes:ib200");
    Network slow = fast.network().withFabricTimes(0.25);
    ModelShape model = ModelCatalogue.known().require("llama-2-13b");
    for (Sharding sharding : new Sharding[] {Sharding.DDP, Sharding.ZERO2, Sharding.FSDP2}) {
      Strategy strategy = Strategy.data(sharding, 64, 1);
      Recipe recipe = new PlanRequest(model, fast, 2048, 1 << 20, false, 0).recipe(strategy);
      assertThat(new StepCosts(model, fast.withNetwork(slow), strategy, recipe).step().seconds())
          .isGreaterThanOrEqualTo(new StepCosts(model, fast, strategy, recipe).step().seconds());
    }
  }

  @Test
  void parametersOfKnownModelsAreThoseTheirAuthorsPrint() {
    assertThat(ModelCatalogue.known().names()).hasSizeGreaterThan(30);
    assertThat(billions("llama-2-7b")).isBetween(6.7, 6.8);
    assertThat(billions("llama-3-70b")).isBetween(70.4, 70.7);
    assertThat(billions("llama-3.1-405b")).isBetween(405.0, 406.5);
    assertThat(billions("mixtral-8x7b")).isBetween(46.0, 47.5);
    assertThat(billions("deepseek-v3")).isBetween(660.0, 680.0);
    assertThat(billions("qwen3-235b-a22b")).isBetween(230.0, 240.0);
    assertThat(billions("gpt3-175b")).isBetween(173.0, 176.0);
    assertThat(billions("gpt2")).isBetween(0.12, 0.13);
    assertThat(billions("t5-xxl")).isBetween(10.5, 11.5);
  }

  private static double billions(String model) {
    return ModelCatalogue.known().require(model).parameters() / 1e9;
  }

  @Test
  void readsTheConfigurationOfALatentAttentionModel() {
    ModelShape model =
        HuggingFaceConfig.read(
            Json.parse(
                """
                {"model_type": "deepseek_v3", "hidden_size": 7168, "num_hidden_layers": 61,
                 "num_attention_heads": 128, "num_key_value_heads": 128, "intermediate_size": 18432,
                 "moe_intermediate_size": 2048, "n_routed_experts": 256, "num_experts_per_tok": 8,
                 "n_shared_experts": 1, "first_k_dense_replace": 3, "vocab_size": 129280,
                 "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128,
                 "qk_rope_head_dim": 64, "v_head_dim": 128, "hidden_act": "silu"}
                """),
            "config.json");
    assertThat(model.parameters() / 1e9).isBetween(660.0, 680.0);
  }

  @ParameterizedTest
  @CsvSource({
    "'{\"gpu\": \"H100\", \"gpus_per_node\": -8}', gpus_per_node",
    "'{\"gpu\": \"H100\", \"nodes\": 1.5}', nodes",
    "'{\"gpu\": \"H100\", \"network\": \"ib\", \"nic_gbps\": 0}', speed",
    "'{\"gpu\": \"H100\", \"gpus\": 8}', gpus"
  })
  void aDescribedClusterThatMakesNoSenseIsRefused(String cluster, String named) {
    assertThatThrownBy(() -> ClusterDescription.read(Json.parse(cluster), "cluster.yaml"))
        .isInstanceOf(PitwallException.class)
        .hasMessageContaining(named);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-3", "NaN", "\"many\""})
  void aModelSaysWhichOfItsNumbersMakesNoSense(String layers) {
    Json model = Json.parse("{\"layers\": " + layers + ", \"hidden\": 64, \"heads\": 4}");
    assertThatThrownBy(() -> HuggingFaceConfig.read(model, "model.yaml"))
        .isInstanceOf(PitwallException.class)
        .hasMessageContaining("'layers' in 'model.yaml'");
  }

  @Test
  void readsShortFormsOfClusters() {
    Cluster cluster = Cluster.parse("8xH100:nvlink/4nodes:ib400");
    assertThat(cluster.gpus()).isEqualTo(32);
    assertThat(cluster.network().nodeBytesPerSecond()).isEqualTo(400e9);
    assertThat(Cluster.parse("4xA10G:pcie/2nodes:eth25").network().scaleUp())
        .isEqualTo(Network.ScaleUp.PCIE);
    assertThat(Cluster.parse("8xA100/2nodes:ib200x4").network().nodeBytesPerSecond())
        .isEqualTo(100e9);
    for (String odd :
        new String[] {
          "H100",
          "8xToaster",
          "0xH100",
          "8xH100:wifi",
          "8xA10G:nvlink",
          "8xH100/2nodes:fax5",
          "8xH100:nvlink/2nodes:ib0",
          "8xH100/2nodes:ib9999999"
        }) {
      assertThatThrownBy(() -> Cluster.parse(odd)).as(odd).isInstanceOf(PitwallException.class);
    }
  }
}
