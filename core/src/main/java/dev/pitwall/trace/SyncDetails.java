package dev.pitwall.trace;

/// What a `cuda_sync` row says: which stream waits for which event or stream.
public final class SyncDetails {
  private static final long UNSIGNED_MINUS_ONE = 0xFFFF_FFFFL;

  private final IntColumn kindId = new IntColumn();
  private final LongColumn stream = new LongColumn();
  private final LongColumn waitOnStream = new LongColumn();
  private final IntColumn waitOnEventRecordCorrelation = new IntColumn();

  /// Appends a row and returns it.
  public int add(int kindNameId, long streamId, long waitOnStreamId, int eventRecordCorrelation) {
    kindId.add(kindNameId);
    stream.add(streamId);
    waitOnStream.add(waitOnStreamId);
    waitOnEventRecordCorrelation.add(eventRecordCorrelation);
    return kindId.size() - 1;
  }

  /// `Event Sync`, `Stream Wait Event`, `Stream Sync` or `Context Sync`: an id in the names.
  public int kindId(int detail) {
    return kindId.get(detail);
  }

  /// The stream that waits, or -1.
  public long stream(int detail) {
    long recorded = stream.get(detail);
    return recorded == UNSIGNED_MINUS_ONE ? -1 : recorded;
  }

  /// The stream as the recorder wrote it: up to PyTorch 2.1 "none" is 4,294,967,295.
  public long recordedStream(int detail) {
    return stream.get(detail);
  }

  public long waitOnStream(int detail) {
    return waitOnStream.get(detail);
  }

  /// Correlation of the `cudaEventRecord` call that is waited for, or -1.
  public int waitOnEventRecordCorrelation(int detail) {
    return waitOnEventRecordCorrelation.get(detail);
  }

  public int size() {
    return kindId.size();
  }
}
