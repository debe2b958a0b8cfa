package dev.pitwall.trace;

/// What the recorder says of kernels, copies and sets beyond time.
public final class DeviceWorkDetails {
  private final IntColumn launch = new IntColumn();
  private final LongColumn bytes = new LongColumn();
  private final IntColumn collective = new IntColumn();
  private final LongColumn collectiveSequence = new LongColumn();
  private final LongColumn graphNode = new LongColumn();

  /// Appends a row and returns it; -1 stands for what the recorder did not give.
  public int add(
      int launchIndex, long byteCount, int collectiveIndex, long sequence, long graphNodeId) {
    launch.add(launchIndex);
    bytes.add(byteCount);
    collective.add(collectiveIndex);
    collectiveSequence.add(sequence);
    graphNode.add(graphNodeId);
    return launch.size() - 1;
  }

  /// Index in [Trace#kernelLaunches], or -1.
  public int launch(int detail) {
    return launch.get(detail);
  }

  /// Bytes of a copy or set, or -1.
  public long bytes(int detail) {
    return bytes.get(detail);
  }

  /// Index in [Trace#collectives], or -1.
  public int collective(int detail) {
    return collective.get(detail);
  }

  /// The collective's number in its process group, or -1.
  public long collectiveSequence(int detail) {
    return collectiveSequence.get(detail);
  }

  /// Node id inside a CUDA graph, or -1.
  public long graphNode(int detail) {
    return graphNode.get(detail);
  }

  public int size() {
    return launch.size();
  }
}
