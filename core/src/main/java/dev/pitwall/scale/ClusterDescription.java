package dev.pitwall.scale;

import dev.pitwall.error.PitwallException;
import dev.pitwall.hardware.Network;
import dev.pitwall.json.Json;
import java.util.Locale;

/// Reads a cluster from a tree (a YAML or JSON file):
///
/// ```yaml
/// gpu: H100
/// gpus_per_node: 8
/// nodes: 16
/// link: nvlink            # or pcie
/// network: ib             # ib, roce, efa, eth
/// nic_gbps: 400
/// nics_per_node: 8
/// host_memory_gb: 2048
/// host_cores: 112
/// host_memory_gb_per_s: 400
/// nvme_read_gb_per_s: 50
/// nvme_write_gb_per_s: 30
/// ```
public final class ClusterDescription {
  private ClusterDescription() {}

  /// The cluster that the tree describes; what it leaves out is as in the vendor's reference
  // system.
  public static Cluster read(Json tree, String name) {
    String gpu = tree.get("gpu").text("");
    if (gpu.isEmpty()) {
      throw PitwallException.usage(name + " names no gpu; add a line like 'gpu: H100'.");
    }
    long perNode = Math.clamp(tree.get("gpus_per_node").integer(8), 1, 1024);
    long nodes = Math.clamp(tree.get("nodes").integer(1), 1, 1_000_000);
    String link = tree.get("link").text("");
    Cluster cluster =
        Cluster.parse(
            perNode + "x" + gpu + (link.isEmpty() ? "" : ":" + link) + "/" + nodes + "nodes");
    Network network = cluster.network();
    String kind = tree.get("network").text("").toLowerCase(Locale.ROOT);
    double gigabits = tree.get("nic_gbps").number(0);
    if (!kind.isEmpty() && gigabits > 0) {
      network =
          Cluster.withFabric(
              network, kind, gigabits, (int) tree.get("nics_per_node").integer(0), name);
    }
    Cluster.Host typical = Cluster.Host.TYPICAL;
    Cluster.Host host =
        new Cluster.Host(
            tree.get("host_memory_gb").number(typical.memoryBytes() / 1e9) * 1e9,
            (int) tree.get("host_cores").integer(typical.cores()),
            tree.get("host_memory_gb_per_s").number(typical.memoryBytesPerSecond() / 1e9) * 1e9,
            tree.get("nvme_read_gb_per_s").number(typical.nvmeReadBytesPerSecond() / 1e9) * 1e9,
            tree.get("nvme_write_gb_per_s").number(typical.nvmeWriteBytesPerSecond() / 1e9) * 1e9);
    return new Cluster(cluster.gpu(), cluster.nodes(), network, host);
  }
}
