package dev.pitwall.trace.memory;

import dev.pitwall.trace.ByteColumn;
import dev.pitwall.trace.IntColumn;
import dev.pitwall.trace.LongColumn;

/// The allocator's events on one device, oldest first. The recorder keeps a ring, so the earliest
/// events may be missing; [MemorySnapshot] says what was live at the end.
public final class AllocationHistory {
  /// What happened.
  public enum Action {
    ALLOCATE,
    /// The program gave the block back; it may still wait for a stream.
    REQUEST_FREE,
    /// The block is free.
    COMPLETE_FREE,
    SEGMENT_ALLOCATE,
    SEGMENT_FREE,
    SEGMENT_MAP,
    SEGMENT_UNMAP,
    SNAPSHOT,
    OUT_OF_MEMORY,
    OTHER;

    private static final Action[] VALUES = values();
  }

  private final ByteColumn action = new ByteColumn();
  private final LongColumn address = new LongColumn();
  private final LongColumn bytes = new LongColumn();
  private final LongColumn stream = new LongColumn();
  private final LongColumn timeMicros = new LongColumn();
  private final IntColumn stack = new IntColumn();

  void add(Action what, long where, long size, long onStream, long micros, int stackIndex) {
    action.add((byte) what.ordinal());
    address.add(where);
    bytes.add(size);
    stream.add(onStream);
    timeMicros.add(micros);
    stack.add(stackIndex);
  }

  public int size() {
    return action.size();
  }

  public Action action(int event) {
    return Action.VALUES[action.get(event)];
  }

  public long address(int event) {
    return address.get(event);
  }

  /// Requested bytes of an allocation or free, whole size of a segment.
  public long bytes(int event) {
    return bytes.get(event);
  }

  public long stream(int event) {
    return stream.get(event);
  }

  /// Microseconds since 1970, -1 where the recorder was too old to say.
  public long timeMicros(int event) {
    return timeMicros.get(event);
  }

  /// Index in [MemorySnapshot#stacks], -1 where not recorded.
  public int stack(int event) {
    return stack.get(event);
  }
}
