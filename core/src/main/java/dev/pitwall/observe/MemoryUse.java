package dev.pitwall.observe;

import dev.pitwall.trace.MemoryEvents;
import dev.pitwall.trace.TraceIndex;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Device memory over the recording, where `profile_memory` was on. *Allocated* is what tensors
/// hold; *reserved* is what the caching allocator took from the driver, cache included. Only growth
/// of allocated memory at the same point of the step is a leak.
///
/// @param peakAllocatedBytes largest allocated
/// @param peakReservedBytes largest reserved, -1 where not recorded
/// @param deviceBytes memory of the device, -1 where not recorded
/// @param atStepEndBytes allocated at the end of each step
/// @param allocated curve of allocated bytes
/// @param reserved curve of reserved bytes, null where not recorded
public record MemoryUse(
    long peakAllocatedBytes,
    long peakReservedBytes,
    long deviceBytes,
    long[] atStepEndBytes,
    Series allocated,
    @Nullable Series reserved) {
  private static final int SLOTS = 600;

  /// The use of the busiest device, or null where no device memory was recorded.
  static @Nullable MemoryUse of(TraceIndex index) {
    MemoryEvents events = index.trace().memoryEvents();
    int device = -1;
    int first = -1;
    int last = -1;
    for (int row = 0; row < events.size(); row++) {
      if (events.device(row) >= 0 && events.allocatedBytes(row) >= 0) {
        device = device < 0 ? events.device(row) : device;
        if (events.device(row) == device) {
          first = first < 0 ? row : first;
          last = row;
        }
      }
    }
    if (device < 0) {
      return null;
    }
    Series.Builder allocated =
        new Series.Builder(events.timeNanos(first), events.timeNanos(last) + 1, SLOTS);
    Series.Builder reserved =
        new Series.Builder(events.timeNanos(first), events.timeNanos(last) + 1, SLOTS);
    long peakAllocated = 0;
    long peakReserved = -1;
    long[] atStepEnd = new long[index.steps().count()];
    for (int row = first; row <= last; row++) {
      if (events.device(row) != device) {
        continue;
      }
      allocated.set(events.timeNanos(row), events.allocatedBytes(row));
      peakAllocated = Math.max(peakAllocated, events.allocatedBytes(row));
      if (events.reservedBytes(row) >= 0) {
        reserved.set(events.timeNanos(row), events.reservedBytes(row));
        peakReserved = Math.max(peakReserved, events.reservedBytes(row));
      }
      int step = index.steps().stepAt(events.timeNanos(row));
      if (step >= 0) {
        atStepEnd[step] = events.allocatedBytes(row);
      }
    }
    List<dev.pitwall.trace.Device> devices = index.trace().recording().devices();
    long deviceBytes = -1;
    for (dev.pitwall.trace.Device known : devices) {
      deviceBytes = known.id() == device ? known.memoryBytes() : deviceBytes;
    }
    return new MemoryUse(
        peakAllocated,
        peakReserved,
        deviceBytes,
        atStepEnd,
        allocated.build("allocated", "bytes"),
        peakReserved < 0 ? null : reserved.build("reserved", "bytes"));
  }
}
