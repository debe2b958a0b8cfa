package dev.pitwall.trace;

/// Allocations and frees that the recorder saw (`[memory]` instants), in order of time.
public final class MemoryEvents {
  private final LongColumn timeNanos = new LongColumn();
  private final LongColumn address = new LongColumn();
  private final LongColumn bytes = new LongColumn();
  private final LongColumn allocatedBytes = new LongColumn();
  private final LongColumn reservedBytes = new LongColumn();
  private final IntColumn device = new IntColumn();
  private final IntColumn track = new IntColumn();

  /// Appends an event. `deviceIndex` is -1 for host memory; `deltaBytes` is negative for a free;
  /// totals are the allocator's after the event, -1 where not recorded.
  public void add(
      long time,
      long memoryAddress,
      long deltaBytes,
      long totalAllocatedBytes,
      long totalReservedBytes,
      int deviceIndex,
      int trackId) {
    timeNanos.add(time);
    address.add(memoryAddress);
    bytes.add(deltaBytes);
    allocatedBytes.add(totalAllocatedBytes);
    reservedBytes.add(totalReservedBytes);
    device.add(deviceIndex);
    track.add(trackId);
  }

  public int size() {
    return bytes.size();
  }

  public long timeNanos(int row) {
    return timeNanos.get(row);
  }

  public long address(int row) {
    return address.get(row);
  }

  /// Positive for an allocation, negative for a free.
  public long bytes(int row) {
    return bytes.get(row);
  }

  public long allocatedBytes(int row) {
    return allocatedBytes.get(row);
  }

  public long reservedBytes(int row) {
    return reservedBytes.get(row);
  }

  /// Device index, -1 for host memory.
  public int device(int row) {
    return device.get(row);
  }

  /// Track of the thread that allocated.
  public int track(int row) {
    return track.get(row);
  }

  MemoryEvents sortedByTime() {
    int[] order = SortOrder.of(size(), row -> timeNanos.get(row));
    MemoryEvents sorted = new MemoryEvents();
    for (int row : order) {
      sorted.add(
          timeNanos.get(row),
          address.get(row),
          bytes.get(row),
          allocatedBytes.get(row),
          reservedBytes.get(row),
          device.get(row),
          track.get(row));
    }
    return sorted;
  }
}
