package dev.pitwall.recorders.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitwall.error.PitwallException;
import dev.pitwall.scale.Cluster;
import dev.pitwall.scale.ClusterDescription;
import dev.pitwall.scale.HuggingFaceConfig;
import dev.pitwall.scale.ModelShape;
import org.junit.jupiter.api.Test;

class YamlTreeTest {
  @Test
  void readsAModel() {
    ModelShape model =
        HuggingFaceConfig.read(
            YamlTree.parse(
                """
                name: ours
                layers: 12
                hidden: 1024
                heads: 16
                kv_heads: 4
                ffn: 4096
                vocab: 32000
                """,
                "model.yaml"),
            "model.yaml");
    assertThat(model.name()).isEqualTo("ours");
    assertThat(model.keyValueHeads()).isEqualTo(4);
    assertThat(model.parameters()).isBetween(2.4e8, 2.6e8);
  }

  @Test
  void readsACluster() {
    Cluster cluster =
        ClusterDescription.read(
            YamlTree.parse(
                """
                gpu: A100
                gpus_per_node: 8
                nodes: 4
                link: nvlink
                network: ib
                nic_gbps: 200
                nics_per_node: 4
                host_memory_gb: 1024
                """,
                "cluster.yaml"),
            "cluster.yaml");
    assertThat(cluster.gpus()).isEqualTo(32);
    assertThat(cluster.network().nodeBytesPerSecond()).isEqualTo(100e9);
    assertThat(cluster.host().memoryBytes()).isEqualTo(1024e9);
  }

  @Test
  void refusesWhatIsNoPlainData() {
    assertThatThrownBy(() -> YamlTree.parse("a: !!java.lang.Runtime {}\n- b", "odd.yaml"))
        .isInstanceOf(PitwallException.class)
        .hasMessageContaining("odd.yaml");
  }
}
