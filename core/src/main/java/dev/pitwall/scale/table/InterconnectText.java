package dev.pitwall.scale.table;

import dev.pitwall.hardware.GpuSpec;
import dev.pitwall.hardware.Network;
import dev.pitwall.scale.Cluster;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads the free text of a table's `interconnect` column: `4x100 Gb RoCE`, `EFA 400 Gbps per
/// node`, `ConnectX-7 400 Gb/s per GPU`, `NVSwitch + 8x HDR IB`. What it does not say is as in the
/// vendor's reference system. A capital B is bytes of memory (`H100 80GB`), never bandwidth.
public final class InterconnectText {
  private static final double GIGABIT = 1e9 / 8;
  private static final Pattern SEVERAL =
      Pattern.compile("(\\d+)\\s*x\\s*(?:[A-Za-z-]+\\s+)?(\\d+(?:\\.\\d+)?)\\s*([GT])b");
  private static final Pattern TOTAL = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*([GT])b");
  private static final Pattern TRAILING_COUNT =
      Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*([GT])b(?:ps|/s)?\\s*x\\s*(\\d+)");
  private static final Pattern NAMED =
      Pattern.compile("(?:(\\d+)\\s*x\\s*)?(hdr|ndr|edr|xdr)(?:\\s*ib)?(?:\\s*x\\s*(\\d+))?");

  private final String written;
  private final String text;

  private InterconnectText(String interconnect) {
    written = interconnect;
    text = interconnect.toLowerCase(Locale.ROOT);
  }

  /// The cluster of this many GPUs on this many nodes (0 where unknown) that the text describes.
  public static Cluster cluster(String interconnect, GpuSpec gpu, int gpus, int nodes) {
    return new InterconnectText(interconnect).cluster(gpu, gpus, nodes);
  }

  private Cluster cluster(GpuSpec gpu, int gpus, int nodes) {
    Cluster reference = Cluster.reference(gpu, gpus);
    boolean rack = gpu.name().startsWith("GB");
    int perNode =
        nodes > 0 && !rack ? Math.max(1, (gpus + nodes - 1) / nodes) : reference.gpusPerNode();
    Cluster sized =
        Cluster.of(
            gpu,
            perNode,
            (gpus + perNode - 1) / perNode,
            reference.network().nodeBytesPerSecond() / reference.gpusPerNode() * perNode);
    Network network = sized.network();
    double bytes = nodeBytesPerSecond(perNode);
    return sized.withNetwork(
        new Network(
            network.architecture(),
            network.gpusPerNode(),
            text.contains("pcie") && !text.contains("nvlink")
                ? Network.ScaleUp.PCIE
                : network.scaleUp(),
            text.contains("pcie") && !text.contains("nvlink")
                ? gpu.pcieBytesPerSecond()
                : network.scaleUpBytesPerSecond(),
            fabric(),
            bytes > 0 ? bytes : network.nodeBytesPerSecond()));
  }

  private Network.Fabric fabric() {
    if (text.contains("efa") || text.contains("tcpx") || text.contains("gcp")) {
      return Network.Fabric.CLOUD;
    }
    if (text.contains("ethernet")) {
      return Network.Fabric.ETHERNET;
    }
    return text.contains("roce") ? Network.Fabric.ROCE : Network.Fabric.INFINIBAND;
  }

  private double nodeBytesPerSecond(int gpusPerNode) {
    Matcher several = SEVERAL.matcher(written);
    if (several.find()) {
      return Double.parseDouble(several.group(1)) * gigabits(several.group(2), several.group(3));
    }
    Matcher trailing = TRAILING_COUNT.matcher(written);
    if (trailing.find()) {
      return Double.parseDouble(trailing.group(3)) * gigabits(trailing.group(1), trailing.group(2));
    }
    Matcher total = TOTAL.matcher(written);
    if (total.find()) {
      double bytes = gigabits(total.group(1), total.group(2));
      return text.contains("per gpu") && !text.contains("per node") ? bytes * gpusPerNode : bytes;
    }
    Matcher named = NAMED.matcher(text);
    if (named.find()) {
      double gigabits =
          switch (named.group(2)) {
            case "edr" -> 100;
            case "hdr" -> 200;
            case "ndr" -> 400;
            default -> 800;
          };
      String count = named.group(1) == null ? named.group(3) : named.group(1);
      int nics = count == null ? gpusPerNode : Integer.parseInt(count);
      return gigabits * GIGABIT * nics;
    }
    return 0;
  }

  private static double gigabits(String number, String unit) {
    return Double.parseDouble(number) * (unit.equals("T") ? 1000 : 1) * GIGABIT;
  }
}
