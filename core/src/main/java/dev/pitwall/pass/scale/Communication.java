package dev.pitwall.pass.scale;

import dev.pitwall.hardware.CollectiveCosts;
import dev.pitwall.hardware.CollectiveKind;
import dev.pitwall.hardware.Network;
import dev.pitwall.hardware.RankGroup;

/// The process group that a strategy communicates in.
///
/// @param group the ranks
/// @param network the links between them
/// @param gatherBytes bytes of one element of a parameter as it is gathered
/// @param reduceBytes bytes of one element of a gradient as it is reduced
public record Communication(
    RankGroup group, Network network, double gatherBytes, double reduceBytes) {

  /// Share of the time of a hidden collective by which it delays the kernels that it hides behind:
  /// NCCL's kernels take multiprocessors and memory bandwidth. Measured on two H200s: compute of
  // the
  /// larger model lasts 5.9 ms longer beside 14.8 ms of all-reduces (h200/multi b_single, b_ddp).
  static final double CONTENTION = 0.4;

  public int ranks() {
    return group.ranks();
  }

  /// Nanoseconds of a collective over `elements` of the whole buffer.
  public long nanos(CollectiveKind kind, double elements) {
    double bytes =
        elements
            * (kind == CollectiveKind.ALL_GATHER || kind == CollectiveKind.BROADCAST
                ? gatherBytes
                : reduceBytes);
    return Math.round(CollectiveCosts.fitted().seconds(kind, bytes, group, network) * 1e9);
  }
}
