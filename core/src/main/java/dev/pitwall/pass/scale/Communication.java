package dev.pitwall.pass.scale;

import dev.pitwall.hardware.CollectiveCosts;
import dev.pitwall.hardware.CollectiveKind;
import dev.pitwall.hardware.GpuSpec;
import dev.pitwall.hardware.Network;
import dev.pitwall.hardware.RankGroup;

/// The process group that a strategy communicates in.
///
/// @param group the ranks
/// @param network the links between them
/// @param gpu what the collectives run on
/// @param gatherBytes bytes of one element of a parameter as it is gathered
/// @param reduceBytes bytes of one element of a gradient as it is reduced
public record Communication(
    RankGroup group, Network network, GpuSpec gpu, double gatherBytes, double reduceBytes) {

  public int ranks() {
    return group.ranks();
  }

  /// Nanoseconds of a collective over `elements` of the whole buffer.
  public long nanos(CollectiveKind kind, double elements) {
    return Math.round(
        CollectiveCosts.fitted().seconds(kind, bytes(kind, elements), group, network) * 1e9);
  }

  /// Share of the time of a collective by which it delays the kernels that it hides behind.
  double contention(CollectiveKind kind, double elements) {
    return CollectiveCosts.fitted().contention(kind, bytes(kind, elements), group, network, gpu);
  }

  private double bytes(CollectiveKind kind, double elements) {
    boolean parameters = kind == CollectiveKind.ALL_GATHER || kind == CollectiveKind.BROADCAST;
    return elements * (parameters ? gatherBytes : reduceBytes);
  }
}
