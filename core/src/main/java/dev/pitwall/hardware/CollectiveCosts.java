package dev.pitwall.hardware;

import dev.pitwall.table.DataTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The time of a collective by size, group and network.
///
/// ```
/// seconds = alpha + kappa * sqrt(alpha * beta * bytes) + beta * bytes
/// beta    = volume factor / bus bandwidth
/// ```
///
/// The middle term stands for the range in which NCCL has not yet reached its bandwidth (it changes
/// protocol from LL to Simple); without it sweeps fit two to three times worse. The numbers are in
/// `collective_fits.csv`, each with its sweep.
///
/// Across nodes the bus bandwidth is that of the slower of the two levels: a ring enters and leaves
/// each node once for each channel, so all NICs of the node carry it together. An all-reduce over
/// two nodes runs as a tree that uses each NIC in both roles and reaches twice the NICs' rate (NCCL
/// `src/graph/tuning.cc`; the same rule is in SimAI's bandwidth calculation).
public final class CollectiveCosts {
  /// Multiprocessors that NCCL's kernels occupy: one a channel, 16 channels on current nodes
  /// (NCCL's own log).
  private static final double CHANNELS = 16;

  /// Bytes of device memory moved for each byte on the link: read, written by the neighbour, read
  /// and written again. Measured on two H200s: compute of the larger model lasts 5.9 ms longer
  /// beside 14.8 ms of all-reduces at 298 GB/s (h200/multi b_single, b_ddp), of which the channels
  /// explain 1.8 ms. Rows of the split calib agree: with it the fit of `stacks.csv` is better for
  /// every stack that shards parameters.
  private static final double MEMORY_PASSES = 4.5;

  private static final double MOST_CONTENTION = 0.6;

  private static final CollectiveCosts FITTED =
      new CollectiveCosts(DataTable.resource("/dev/pitwall/hardware/collective_fits.csv"));

  /// A sweep's constants.
  private record Fit(
      String scope,
      String link,
      String architecture,
      String collective,
      int minRanks,
      int maxRanks,
      double share,
      double alphaSeconds,
      double kappa) {
    boolean matches(String scope, String link, String architecture, String collective, int ranks) {
      return this.scope.equals(scope)
          && (this.link.equals("any") || this.link.equals(link))
          && (this.architecture.equals("any") || this.architecture.equals(architecture))
          && (this.collective.equals("any") || this.collective.equals(collective))
          && ranks >= minRanks
          && ranks <= maxRanks;
    }
  }

  private final List<Fit> fits = new ArrayList<>();

  private CollectiveCosts(DataTable table) {
    for (int row = 0; row < table.rows(); row++) {
      fits.add(
          new Fit(
              table.text(row, "scope"),
              table.text(row, "link"),
              table.text(row, "architecture"),
              table.text(row, "collective"),
              (int) table.number(row, "min_ranks", 2),
              (int) table.number(row, "max_ranks", 2),
              table.number(row, "share", 1),
              table.number(row, "alpha_us", 0) * 1e-6,
              table.number(row, "kappa", 0)));
    }
  }

  public static CollectiveCosts fitted() {
    return FITTED;
  }

  /// Share of the time of a collective by which it delays the kernels that it hides behind, since
  /// it takes multiprocessors and memory bandwidth from them. A fast link costs more than a slow
  /// one.
  public double contention(
      CollectiveKind kind, double bytes, RankGroup group, Network network, GpuSpec gpu) {
    double seconds = seconds(kind, bytes, group, network);
    if (seconds == 0) {
      return 0;
    }
    double linkBytesPerSecond = bytes * kind.volumeFactor(group.ranks()) / seconds;
    return Math.min(
        MOST_CONTENTION,
        CHANNELS / Math.max(CHANNELS, gpu.multiprocessors())
            + MEMORY_PASSES * linkBytesPerSecond / gpu.memoryBytesPerSecond());
  }

  /// Seconds of one collective; 0 for a group of one.
  ///
  /// @param bytes size by the convention of [CollectiveKind]
  public double seconds(CollectiveKind kind, double bytes, RankGroup group, Network network) {
    if (group.ranks() < 2 || bytes <= 0) {
      return 0;
    }
    boolean crossesNodes = group.ranksInNode() < group.ranks();
    double busBandwidth = busBandwidth(kind, group, network);
    double beta = kind.volumeFactor(group.ranks()) / busBandwidth;
    Fit intra = nodeFit(kind, Math.max(2, group.ranksInNode()), network);
    double alpha = intra.alphaSeconds();
    double kappa = intra.kappa();
    if (crossesNodes) {
      Fit fabric = fabricFit(kind, group, network);
      double doublings = Math.max(1, Math.log(group.nodes()) / Math.log(2));
      alpha = (group.ranksInNode() > 1 ? alpha : 0) + fabric.alphaSeconds() * doublings;
      kappa = fabric.kappa();
    }
    return alpha + kappa * Math.sqrt(alpha * beta * bytes) + beta * bytes;
  }

  /// The bus bandwidth that the group reaches at infinite size, in bytes per second.
  public double busBandwidth(CollectiveKind kind, RankGroup group, Network network) {
    boolean crossesNodes = group.ranksInNode() < group.ranks();
    double inside =
        group.ranksInNode() > 1
            ? nodeFit(kind, group.ranksInNode(), network).share() * network.scaleUpBytesPerSecond()
            : Double.MAX_VALUE;
    if (!crossesNodes) {
      return inside;
    }
    double share = fabricFit(kind, group, network).share();
    double nics = network.nodeBytesPerSecond() / group.groupsSharingNode();
    boolean tree =
        kind == CollectiveKind.ALL_REDUCE && group.nodes() == 2 && group.ranksInNode() > 1;
    return Math.min(inside, share * nics * (tree ? 2 : 1));
  }

  private Fit nodeFit(CollectiveKind kind, int ranks, Network network) {
    return find("node", network.scaleUp().name(), kind, ranks, network);
  }

  private Fit fabricFit(CollectiveKind kind, RankGroup group, Network network) {
    return find("fabric", network.fabric().name(), kind, group.ranks(), network);
  }

  private Fit find(String scope, String link, CollectiveKind kind, int ranks, Network network) {
    for (Fit fit : fits) {
      if (fit.matches(
          scope, link.toLowerCase(Locale.ROOT), network.architecture(), kind.text(), ranks)) {
        return fit;
      }
    }
    throw new IllegalStateException("no constants for " + scope + " " + link + " " + kind);
  }
}
