package dev.pitwall.graph;

/// Why a node cannot start before another.
public enum EdgeKind {
  /// Next on the same CPU thread. Made by the graph from the order of the nodes.
  PROGRAM_ORDER,
  /// Next on the same stream. Made by the graph from the order of the nodes. A negative lag is
  /// programmatic dependent launch: the kernel starts before its predecessor ends.
  STREAM_ORDER,
  /// Device work after the call that launched it. Anchored at the *start* of the call, because the
  /// device may begin before the call returns.
  LAUNCH,
  /// Device work after other device work on another stream (`cudaStreamWaitEvent`).
  EVENT_WAIT,
  /// A CPU thread after device work (`cudaStreamSynchronize`, `.item()`).
  HOST_SYNC,
  /// A CPU thread after another CPU thread (autograd, DataLoader).
  HAND_OVER,
  /// A launch after the device took earlier work from a full launch queue.
  QUEUE_FULL,
  /// A collective after its counterpart on another rank started.
  RENDEZVOUS;

  private static final EdgeKind[] VALUES = values();

  static EdgeKind of(byte ordinal) {
    return VALUES[ordinal];
  }

  /// Whether the lag counts from the start of the source instead of its end.
  public boolean isAnchoredAtStart() {
    return this == LAUNCH || this == QUEUE_FULL || this == RENDEZVOUS;
  }

  /// Whether the edge follows from the order of the nodes on one resource.
  public boolean isResourceOrder() {
    return this == PROGRAM_ORDER || this == STREAM_ORDER;
  }

  /// Whether an edge to a removed node passes on to the next node of its resource: what waited for
  /// other work still waits, while a launch or a sync goes with its node.
  boolean survivesItsTarget() {
    return this == EVENT_WAIT || this == HAND_OVER;
  }
}
