package dev.pitwall.hardware;

/// A collective operation with its volume factor: the share of the buffer that each rank must send
/// over its link in the best algorithm (nccl-tests PERFORMANCE.md). The size convention is that of
/// nccl-tests: the whole gathered buffer for all-gather and reduce-scatter.
public enum CollectiveKind {
  ALL_REDUCE("all-reduce"),
  ALL_GATHER("all-gather"),
  REDUCE_SCATTER("reduce-scatter"),
  ALL_TO_ALL("all-to-all"),
  BROADCAST("broadcast"),
  SEND_RECEIVE("send-receive");

  private final String text;

  CollectiveKind(String text) {
    this.text = text;
  }

  /// The name as people write it, `all-gather`.
  public String text() {
    return text;
  }

  /// Bytes on the busiest link for each byte of the buffer, for `ranks` ranks.
  public double volumeFactor(int ranks) {
    return switch (this) {
      case ALL_REDUCE -> 2.0 * (ranks - 1) / ranks;
      case ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL -> (double) (ranks - 1) / ranks;
      case BROADCAST, SEND_RECEIVE -> 1;
    };
  }
}
