package dev.pitwall.observe.memory;

import dev.pitwall.observe.memory.StartState.Live;
import dev.pitwall.observe.memory.StartState.Range;
import dev.pitwall.simulate.memory.CachingAllocator;
import dev.pitwall.trace.memory.AllocationHistory;
import dev.pitwall.trace.memory.AllocationHistory.Action;
import dev.pitwall.trace.memory.MemorySnapshot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The recorded history under a model of the caching allocator: as it was, or with other settings.
///
/// @param finalReservedBytes bytes held at the moment of the snapshot
/// @param peakReservedBytes the most bytes held
public record AllocatorReplay(long finalReservedBytes, long peakReservedBytes) {
  /// A change of how the program uses the allocator.
  public enum Change {
    /// As recorded.
    NONE,
    /// `PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`, from the first allocation on.
    EXPANDABLE_SEGMENTS,
    /// No `torch.cuda.empty_cache()`: segments are never given back.
    NO_EMPTY_CACHE
  }

  private static final long LARGEST_UNSPLIT_REST_BYTES = 1 << 20;

  public static AllocatorReplay of(MemorySnapshot snapshot, int device, Change change) {
    AllocationHistory history = StartState.history(snapshot, device);
    StartState start = StartState.of(snapshot, device);
    boolean recordedExpandable =
        start.segments().values().stream().anyMatch(Range::expandable)
            || snapshot.segments().stream().anyMatch(s -> s.device() == device && s.expandable());
    boolean expandable = recordedExpandable || change == Change.EXPANDABLE_SEGMENTS;
    CachingAllocator allocator = new CachingAllocator(expandable, largestSplitBytes(snapshot));
    Map<Long, CachingAllocator.Block> blocks = new HashMap<>();
    if (change == Change.EXPANDABLE_SEGMENTS && !recordedExpandable) {
      start
          .live()
          .forEach((at, live) -> blocks.put(at, allocator.allocate(live.bytes(), live.stream())));
    } else {
      start.segments().forEach((at, range) -> adopt(allocator, start, at, range, blocks));
    }
    Action before = Action.OTHER;
    for (int event = 0; event < history.size(); event++) {
      long address = history.address(event);
      Action action = history.action(event);
      switch (action) {
        case ALLOCATE -> {
          CachingAllocator.Block lost =
              blocks.put(address, allocator.allocate(history.bytes(event), history.stream(event)));
          if (lost != null) {
            allocator.free(lost);
          }
        }
        case COMPLETE_FREE -> {
          CachingAllocator.Block block = blocks.remove(address);
          if (block != null) {
            allocator.free(block);
          }
        }
        case SEGMENT_FREE, SEGMENT_UNMAP -> {
          if (before != action && change != Change.NO_EMPTY_CACHE) {
            allocator.emptyCache();
          }
        }
        default -> {}
      }
      before = action;
    }
    return new AllocatorReplay(allocator.reservedBytes(), allocator.peakReservedBytes());
  }

  private static void adopt(
      CachingAllocator allocator,
      StartState start,
      long address,
      Range range,
      Map<Long, CachingAllocator.Block> blocks) {
    List<Map.Entry<Long, Live>> inside =
        new ArrayList<>(start.live().subMap(address, address + range.bytes()).entrySet());
    long[] offsets = new long[inside.size()];
    long[] bytes = new long[inside.size()];
    for (int i = 0; i < offsets.length; i++) {
      offsets[i] = inside.get(i).getKey() - address;
      long nextOffset =
          i + 1 < offsets.length ? inside.get(i + 1).getKey() - address : range.bytes();
      long room = nextOffset - offsets[i];
      long wanted = Math.min(inside.get(i).getValue().bytes(), room);
      boolean unsplit =
          !range.small() && !range.expandable() && room - wanted <= LARGEST_UNSPLIT_REST_BYTES;
      bytes[i] = unsplit ? room : wanted;
    }
    CachingAllocator.Block[] adopted =
        allocator.adoptSegment(range.small(), range.stream(), range.bytes(), offsets, bytes);
    for (int i = 0; i < adopted.length; i++) {
      blocks.put(inside.get(i).getKey(), adopted[i]);
    }
  }

  private static long largestSplitBytes(MemorySnapshot snapshot) {
    long bytes = Long.parseLong(snapshot.settings().getOrDefault("max_split_size", "-1"));
    return bytes <= 0 ? Long.MAX_VALUE : bytes;
  }
}
