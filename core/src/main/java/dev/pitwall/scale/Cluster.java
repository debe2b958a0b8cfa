package dev.pitwall.scale;

import dev.pitwall.error.PitwallException;
import dev.pitwall.hardware.GpuSpec;
import dev.pitwall.hardware.GpuSpecs;
import dev.pitwall.hardware.Network;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Where the job would run.
///
/// The short form is `8xH100:nvlink/4nodes:ib400`: GPUs a node, GPU, link inside a node, nodes, and
/// the network between them. `ib400` and `roce200` give one NIC of that many Gb/s to each GPU,
/// `ib200x4` gives four to each node; `efa400`, `tcp200` and `eth10` name what the whole node
/// sends. Left out, the link is the GPU's own, and the network the one its vendor's reference
/// system has.
///
/// @param nodes number of nodes
public record Cluster(GpuSpec gpu, int nodes, Network network, Host host) {
  private static final double GIGABIT = 1e9 / 8;
  private static final long MOST_GPUS = 1_000_000;
  private static final double MOST_GIGABITS = 1e6;

  /// A rack of GB200 or GB300 joins 72 GPUs by NVLink (NVIDIA NVL72 data sheet).
  private static final int RACK_GPUS = 72;

  private static final Pattern SHORT_FORM =
      Pattern.compile(
          "(\\d+)x([^:/]+)(?::([a-z0-9]+))?(?:/(\\d+)nodes?(?::([a-z]+)(\\d+)(?:x(\\d+))?)?)?",
          Pattern.CASE_INSENSITIVE);

  /// The host of a node.
  ///
  /// @param memoryBytesPerSecond what the host's memory moves, all channels of all sockets
  /// @param nvmeReadBytesPerSecond of all drives of the node together, 0 for none
  public record Host(
      double memoryBytes,
      int cores,
      double memoryBytesPerSecond,
      double nvmeReadBytesPerSecond,
      double nvmeWriteBytesPerSecond) {
    /// A two-socket server: 2 TB, 2 x 8 channels of DDR4-3200 at 25.6 GB/s each (links.csv) of
    /// which about half is reached, eight NVMe drives of 7 and 5 GB/s.
    public static final Host TYPICAL = new Host(2e12, 112, 0.5 * 16 * 25.6e9, 56e9, 40e9);
  }

  public int gpusPerNode() {
    return network.gpusPerNode();
  }

  public int gpus() {
    return nodes * network.gpusPerNode();
  }

  public Cluster withNetwork(Network other) {
    return new Cluster(gpu, nodes, other, host);
  }

  /// A cluster of the vendor's reference systems: `gpus` GPUs of one kind.
  public static Cluster reference(GpuSpec gpu, int gpus) {
    int perNode = Math.min(gpus, isRack(gpu) ? RACK_GPUS : 8);
    return of(
        gpu, perNode, (gpus + perNode - 1) / perNode, referenceNodeBytesPerSecond(gpu, perNode));
  }

  /// A cluster with the GPU's own scale-up link and this much network a node.
  public static Cluster of(GpuSpec gpu, int gpusPerNode, int nodes, double nodeBytesPerSecond) {
    boolean nvlink = gpu.scaleUpBytesPerSecond() > 0;
    return new Cluster(
        gpu,
        nodes,
        new Network(
            gpu.architecture(),
            gpusPerNode,
            nvlink ? Network.ScaleUp.NVLINK : Network.ScaleUp.PCIE,
            nvlink ? gpu.scaleUpBytesPerSecond() : gpu.pcieBytesPerSecond(),
            Network.Fabric.INFINIBAND,
            nodeBytesPerSecond),
        Host.TYPICAL);
  }

  private static boolean isRack(GpuSpec gpu) {
    return gpu.name().startsWith("GB");
  }

  /// One NIC a GPU in DGX H100 and later (400 Gb/s), eight of 200 Gb/s in DGX A100, four of 100
  /// Gb/s in DGX-1 and DGX-2 (links.csv and NVIDIA's system guides); 25 Gb/s Ethernet for other
  /// parts.
  private static double referenceNodeBytesPerSecond(GpuSpec gpu, int gpusPerNode) {
    String name = gpu.name();
    double gigabits;
    if (name.startsWith("GB")
        || name.startsWith("B")
        || name.startsWith("H")
        || name.startsWith("MI3")) {
      gigabits = 400.0 * gpusPerNode;
    } else if (name.startsWith("A100") || name.startsWith("A800")) {
      gigabits = 200.0 * gpusPerNode;
    } else if (name.startsWith("V100")) {
      gigabits = 400;
    } else {
      gigabits = 25;
    }
    return gigabits * GIGABIT;
  }

  /// Reads the short form.
  ///
  /// @throws PitwallException where it is not of that form or names an unknown GPU
  public static Cluster parse(String text) {
    Matcher form = SHORT_FORM.matcher(text.strip());
    if (!form.matches()) {
      throw PitwallException.usage(
          "'"
              + text
              + "' is no cluster; write it like 8xH100:nvlink/4nodes:ib400, or name a YAML file.");
    }
    GpuSpec gpu =
        GpuSpecs.known()
            .find(form.group(2))
            .orElseThrow(
                () ->
                    PitwallException.usage(
                        "The GPU '"
                            + form.group(2)
                            + "' is not in gpu_specs.csv; the known ones are "
                            + String.join(
                                ", ", GpuSpecs.known().all().stream().map(GpuSpec::name).toList())
                            + "."));
    int perNode = positive(form.group(1), text);
    int nodes = form.group(4) == null ? 1 : positive(form.group(4), text);
    if ((long) perNode * nodes > MOST_GPUS) {
      throw PitwallException.usage(
          "'" + text + "' has more than " + MOST_GPUS + " GPUs; check its counts.");
    }
    Cluster cluster = of(gpu, perNode, nodes, referenceNodeBytesPerSecond(gpu, perNode));
    Network network = cluster.network();
    if (form.group(3) != null) {
      network = withLink(network, gpu, form.group(3).toLowerCase(Locale.ROOT), text);
    }
    if (form.group(5) != null) {
      network =
          withFabric(
              network,
              form.group(5).toLowerCase(Locale.ROOT),
              Double.parseDouble(form.group(6)),
              form.group(7) == null ? 0 : positive(form.group(7), text),
              text);
    }
    return cluster.withNetwork(network);
  }

  private static Network withLink(Network network, GpuSpec gpu, String link, String text) {
    return switch (link) {
      case "nvlink", "nvswitch", "xgmi" -> {
        if (gpu.scaleUpBytesPerSecond() <= 0) {
          throw PitwallException.usage(
              "The " + gpu.name() + " has no NVLink; write pcie instead in '" + text + "'.");
        }
        yield network;
      }
      case "pcie", "pcie3", "pcie4", "pcie5" ->
          new Network(
              network.architecture(),
              network.gpusPerNode(),
              Network.ScaleUp.PCIE,
              switch (link) {
                case "pcie3" -> 15.75e9;
                case "pcie4" -> 31e9;
                case "pcie5" -> 63e9;
                default -> gpu.pcieBytesPerSecond();
              },
              network.fabric(),
              network.nodeBytesPerSecond());
      default ->
          throw PitwallException.usage(
              "'" + link + "' in '" + text + "' is no link inside a node; use nvlink or pcie.");
    };
  }

  /// A network with this fabric.
  ///
  /// @param nics NICs a node, or 0: one for each GPU for `ib` and `roce`, one for the others
  static Network withFabric(Network network, String kind, double gigabits, int nics, String text) {
    Network.Fabric fabric =
        switch (kind) {
          case "ib", "infiniband" -> Network.Fabric.INFINIBAND;
          case "roce" -> Network.Fabric.ROCE;
          case "efa", "tcpx", "tcpxo", "cloud" -> Network.Fabric.CLOUD;
          case "eth", "ethernet", "tcp" -> Network.Fabric.ETHERNET;
          default ->
              throw PitwallException.usage(
                  "'" + kind + "' in '" + text + "' is no network; use ib, roce, efa or eth.");
        };
    if (!(gigabits > 0 && gigabits <= MOST_GIGABITS)) {
      throw PitwallException.usage(
          "The network of '"
              + text
              + "' needs a speed in Gb/s above 0 and at most 1000000, such as ib400.");
    }
    boolean eachGpu = fabric == Network.Fabric.INFINIBAND || fabric == Network.Fabric.ROCE;
    int count = nics > 0 ? nics : eachGpu ? network.gpusPerNode() : 1;
    return new Network(
        network.architecture(),
        network.gpusPerNode(),
        network.scaleUp(),
        network.scaleUpBytesPerSecond(),
        fabric,
        gigabits * GIGABIT * count);
  }

  private static int positive(String digits, String text) {
    try {
      int number = Integer.parseInt(digits);
      if (number > 0 && number <= 1_000_000) {
        return number;
      }
    } catch (NumberFormatException tooLong) {
      // Falls through to the sentence below.
    }
    throw PitwallException.usage(
        "'" + digits + "' in '" + text + "' must be between 1 and 1000000.");
  }
}
