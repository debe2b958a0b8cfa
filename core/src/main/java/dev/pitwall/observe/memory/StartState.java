package dev.pitwall.observe.memory;

import dev.pitwall.simulate.memory.CachingAllocator;
import dev.pitwall.trace.memory.AllocationHistory;
import dev.pitwall.trace.memory.MemorySnapshot;
import dev.pitwall.trace.memory.Segment;
import java.util.Map;
import java.util.TreeMap;

/// What was live on a device when the recorded history begins: the state of the snapshot with the
/// history undone, newest event first. The recorder's ring loses what came before, so this cannot
/// be read off.
///
/// @param live blocks by address
/// @param segments segments by address
record StartState(TreeMap<Long, Live> live, TreeMap<Long, Range> segments) {
  /// A block in use: bytes of the block, bytes asked for, its stream and stack (-1 where unknown).
  record Live(long bytes, long requestedBytes, long stream, int stack) {}

  /// A segment's extent.
  record Range(long bytes, long stream, boolean small, boolean expandable) {}

  private static final long LARGEST_SMALL_SEGMENT_BYTES = 2 << 20;

  static StartState of(MemorySnapshot snapshot, int device) {
    TreeMap<Long, Live> live = new TreeMap<>();
    TreeMap<Long, Range> segments = new TreeMap<>();
    for (Segment segment : snapshot.segments()) {
      if (segment.device() != device) {
        continue;
      }
      segments.put(
          segment.address(),
          new Range(segment.totalBytes(), segment.stream(), segment.small(), segment.expandable()));
      for (Segment.Block block : segment.blocks()) {
        if (block.state() != Segment.State.FREE) {
          live.put(
              block.address(),
              new Live(block.bytes(), block.requestedBytes(), segment.stream(), block.stack()));
        }
      }
    }
    AllocationHistory history = history(snapshot, device);
    for (int event = history.size() - 1; event >= 0; event--) {
      long address = history.address(event);
      long bytes = history.bytes(event);
      switch (history.action(event)) {
        case COMPLETE_FREE ->
            live.put(
                address,
                new Live(CachingAllocator.roundedBytes(bytes), bytes, history.stream(event), -1));
        case ALLOCATE -> live.remove(address);
        case SEGMENT_ALLOCATE -> segments.remove(address);
        case SEGMENT_FREE ->
            segments.put(
                address,
                new Range(
                    bytes, history.stream(event), bytes <= LARGEST_SMALL_SEGMENT_BYTES, false));
        case SEGMENT_MAP -> resize(segments, address, -bytes);
        case SEGMENT_UNMAP -> resize(segments, address, bytes);
        case REQUEST_FREE, SNAPSHOT, OUT_OF_MEMORY, OTHER -> {}
      }
    }
    return new StartState(live, segments);
  }

  /// The history of a device, empty where the snapshot has none.
  static AllocationHistory history(MemorySnapshot snapshot, int device) {
    return device < snapshot.histories().size()
        ? snapshot.histories().get(device)
        : new AllocationHistory();
  }

  long reservedBytes() {
    return segments.values().stream().mapToLong(Range::bytes).sum();
  }

  private static void resize(TreeMap<Long, Range> segments, long address, long bytes) {
    Map.Entry<Long, Range> holder = segments.floorEntry(address);
    if (holder != null && holder.getValue().expandable()) {
      Range range = holder.getValue();
      long left = range.bytes() + bytes;
      if (left <= 0) {
        segments.remove(holder.getKey());
      } else {
        segments.put(
            holder.getKey(), new Range(left, range.stream(), range.small(), range.expandable()));
      }
    } else if (bytes > 0) {
      segments.put(address, new Range(bytes, 0, false, true));
    }
  }
}
