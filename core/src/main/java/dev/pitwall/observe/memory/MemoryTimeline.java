package dev.pitwall.observe.memory;

import dev.pitwall.observe.memory.StartState.Live;
import dev.pitwall.simulate.memory.CachingAllocator;
import dev.pitwall.trace.memory.AllocationHistory;
import dev.pitwall.trace.memory.MemorySnapshot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Allocated, active and reserved bytes of a device before the history and after each of its
/// events.
///
/// *Allocated* is what the program holds, *active* also counts blocks that it gave back and a
/// stream still uses, *reserved* is what the allocator holds of the device. Index 0 is the state
/// before the first event, index `i + 1` the state after event `i`. A block still live in the
/// snapshot counts with its true size, a freed one with its rounded request (the file does not keep
/// its size).
///
/// @param timeMicros microseconds since 1970, -1 where not recorded
/// @param owners who holds the active bytes at the peak, largest first
public record MemoryTimeline(
    int device,
    long[] timeMicros,
    long[] allocatedBytes,
    long[] activeBytes,
    long[] reservedBytes,
    int peak,
    List<Owner> owners) {
  public MemoryTimeline {
    owners = List.copyOf(owners);
  }

  /// The blocks that one stack holds at a moment.
  ///
  /// @param stack index in [MemorySnapshot#stacks], -1 for blocks allocated before the history
  ///     begins
  public record Owner(int stack, long bytes, int blocks) {}

  public static MemoryTimeline of(MemorySnapshot snapshot, int device) {
    AllocationHistory history = StartState.history(snapshot, device);
    StartState start = StartState.of(snapshot, device);
    Map<Long, Live> finalSizes = finalBlocks(snapshot, device);
    int states = history.size() + 1;
    long[] time = new long[states];
    long[] allocated = new long[states];
    long[] active = new long[states];
    long[] reserved = new long[states];
    Map<Long, Long> liveBytes = new HashMap<>();
    Map<Long, Boolean> waiting = new HashMap<>();
    long startBytes = 0;
    for (Map.Entry<Long, Live> block : start.live().entrySet()) {
      liveBytes.put(block.getKey(), block.getValue().bytes());
      startBytes += block.getValue().bytes();
    }
    time[0] = states > 1 ? history.timeMicros(0) : -1;
    allocated[0] = startBytes;
    active[0] = startBytes;
    reserved[0] = start.reservedBytes();
    int[] lastAllocation = lastAllocations(history);
    int peak = 0;
    for (int event = 0; event < history.size(); event++) {
      long address = history.address(event);
      long allocatedNow = allocated[event];
      long activeNow = active[event];
      long reservedNow = reserved[event];
      switch (history.action(event)) {
        case ALLOCATE -> {
          Live kept = lastAllocation[event] == event ? finalSizes.get(address) : null;
          long bytes =
              kept != null ? kept.bytes() : CachingAllocator.roundedBytes(history.bytes(event));
          liveBytes.put(address, bytes);
          allocatedNow += bytes;
          activeNow += bytes;
        }
        case REQUEST_FREE -> {
          Long bytes = liveBytes.get(address);
          if (bytes != null) {
            allocatedNow -= bytes;
            waiting.put(address, true);
          }
        }
        case COMPLETE_FREE -> {
          Long bytes = liveBytes.remove(address);
          if (bytes != null) {
            activeNow -= bytes;
            if (waiting.remove(address) == null) {
              allocatedNow -= bytes;
            }
          }
        }
        case SEGMENT_ALLOCATE, SEGMENT_MAP -> reservedNow += history.bytes(event);
        case SEGMENT_FREE, SEGMENT_UNMAP -> reservedNow -= history.bytes(event);
        case SNAPSHOT, OUT_OF_MEMORY, OTHER -> {}
      }
      time[event + 1] = history.timeMicros(event);
      allocated[event + 1] = allocatedNow;
      active[event + 1] = activeNow;
      reserved[event + 1] = reservedNow;
      if (activeNow > active[peak]) {
        peak = event + 1;
      }
    }
    return new MemoryTimeline(
        device, time, allocated, active, reserved, peak, owners(start, history, peak, finalSizes));
  }

  public long peakActiveBytes() {
    return activeBytes[peak];
  }

  /// Active bytes after the last event: at the moment of the snapshot.
  public long finalActiveBytes() {
    return activeBytes[activeBytes.length - 1];
  }

  /// Index of the last state at or before this time, 0 where the history begins later.
  public int stateAt(long micros) {
    int low = 0;
    int high = timeMicros.length - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (timeMicros[middle] <= micros) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  private static Map<Long, Live> finalBlocks(MemorySnapshot snapshot, int device) {
    Map<Long, Live> blocks = new HashMap<>();
    MemorySnapshot last =
        new MemorySnapshot(
            snapshot.segments(), List.of(), List.of(), List.of(), Map.of(), snapshot.losses());
    blocks.putAll(StartState.of(last, device).live());
    return blocks;
  }

  /// For each event the event itself where it is the last allocation at its address, else -1.
  private static int[] lastAllocations(AllocationHistory history) {
    Map<Long, Integer> last = new HashMap<>();
    for (int event = 0; event < history.size(); event++) {
      if (history.action(event) == AllocationHistory.Action.ALLOCATE) {
        last.put(history.address(event), event);
      }
    }
    int[] result = new int[history.size()];
    java.util.Arrays.fill(result, -1);
    last.values().forEach(event -> result[event] = event);
    return result;
  }

  private static List<Owner> owners(
      StartState start, AllocationHistory history, int peak, Map<Long, Live> finalSizes) {
    Map<Long, Live> live = new HashMap<>(start.live());
    for (int event = 0; event < peak; event++) {
      long address = history.address(event);
      switch (history.action(event)) {
        case ALLOCATE ->
            live.put(
                address,
                new Live(
                    CachingAllocator.roundedBytes(history.bytes(event)),
                    history.bytes(event),
                    history.stream(event),
                    history.stack(event)));
        case COMPLETE_FREE -> live.remove(address);
        default -> {}
      }
    }
    Map<Integer, Owner> byStack = new HashMap<>();
    live.forEach(
        (address, block) -> {
          Live kept = finalSizes.get(address);
          int stack = block.stack() >= 0 || kept == null ? block.stack() : kept.stack();
          byStack.merge(
              stack,
              new Owner(stack, block.bytes(), 1),
              (a, b) -> new Owner(a.stack(), a.bytes() + b.bytes(), a.blocks() + b.blocks()));
        });
    List<Owner> owners = new ArrayList<>(byStack.values());
    owners.sort(Comparator.comparingLong(Owner::bytes).reversed().thenComparingInt(Owner::stack));
    return owners;
  }
}
