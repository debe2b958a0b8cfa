package dev.pitwall.scale;

import dev.pitwall.error.PitwallException;
import dev.pitwall.hardware.Network;
import dev.pitwall.json.Json;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

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
  private static final int MOST = 1_000_000;

  private static final Set<String> KEYS =
      new LinkedHashSet<>(
          List.of(
              "gpu",
              "gpus_per_node",
              "nodes",
              "link",
              "network",
              "nic_gbps",
              "nics_per_node",
              "host_memory_gb",
              "host_cores",
              "host_memory_gb_per_s",
              "nvme_read_gb_per_s",
              "nvme_write_gb_per_s"));

  private ClusterDescription() {}

  /// The cluster that the tree describes; what it leaves out is as in the vendor's reference
  /// system.
  ///
  /// @throws PitwallException with exit code 2 where a key is unknown or a number makes no sense
  public static Cluster read(Json tree, String name) {
    String gpu = tree.get("gpu").text("");
    if (gpu.isEmpty()) {
      throw PitwallException.usage(name + " names no gpu; add a line like 'gpu: H100'.");
    }
    requireKnownKeys(tree, name);
    long perNode = whole(tree, "gpus_per_node", 8, 1, name);
    long nodes = whole(tree, "nodes", 1, 1, name);
    String link = tree.get("link").text("");
    Cluster cluster =
        Cluster.parse(
            perNode + "x" + gpu + (link.isEmpty() ? "" : ":" + link) + "/" + nodes + "nodes");
    Network network = cluster.network();
    String kind = tree.get("network").text("").toLowerCase(Locale.ROOT);
    double gigabits = amount(tree, "nic_gbps", 0, name);
    if (!kind.isEmpty() && !tree.get("nic_gbps").isNull()) {
      network =
          Cluster.withFabric(
              network, kind, gigabits, (int) whole(tree, "nics_per_node", 0, 0, name), name);
    }
    Cluster.Host typical = Cluster.Host.TYPICAL;
    Cluster.Host host =
        new Cluster.Host(
            amount(tree, "host_memory_gb", typical.memoryBytes() / 1e9, name) * 1e9,
            (int) whole(tree, "host_cores", typical.cores(), 1, name),
            amount(tree, "host_memory_gb_per_s", typical.memoryBytesPerSecond() / 1e9, name) * 1e9,
            amount(tree, "nvme_read_gb_per_s", typical.nvmeReadBytesPerSecond() / 1e9, name) * 1e9,
            amount(tree, "nvme_write_gb_per_s", typical.nvmeWriteBytesPerSecond() / 1e9, name)
                * 1e9);
    return new Cluster(cluster.gpu(), cluster.nodes(), network, host);
  }

  private static void requireKnownKeys(Json tree, String name) {
    if (tree instanceof Json.Obj(Map<String, Json> members)) {
      for (String key : members.keySet()) {
        if (!KEYS.contains(key)) {
          throw PitwallException.usage(
              name + " has an unknown key '" + key + "'; use " + String.join(", ", KEYS) + ".");
        }
      }
    }
  }

  private static long whole(Json tree, String key, long absent, int least, String name) {
    Json member = tree.get(key);
    if (member.isNull()) {
      return absent;
    }
    double number = member.number(Double.NaN);
    if (number >= least && number <= MOST && number == Math.rint(number)) {
      return (long) number;
    }
    throw PitwallException.usage(
        key + " in " + name + " must be a whole number between " + least + " and " + MOST + ".");
  }

  private static double amount(Json tree, String key, double absent, String name) {
    Json member = tree.get(key);
    if (member.isNull()) {
      return absent;
    }
    double number = member.number(Double.NaN);
    if (number >= 0 && Double.isFinite(number)) {
      return number;
    }
    throw PitwallException.usage(key + " in " + name + " must be a number, 0 or more.");
  }
}
