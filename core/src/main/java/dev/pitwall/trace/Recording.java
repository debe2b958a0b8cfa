package dev.pitwall.trace;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a file says of itself apart from its events.
///
/// @param kind which recorder: `kineto`, `chrome`, `nsys`
/// @param rank rank of the job, -1 where unknown
/// @param rankSource where the rank was taken from: `distributedInfo`, `file name`, or empty
/// @param worldSize ranks of the job, -1 where unknown
/// @param backend communication backend, or empty
/// @param torchVersion PyTorch version, exact or as a range such as `2.4-2.14`; null where unknown
/// @param recordsShapes whether `record_shapes` was on
/// @param recordsStacks whether `with_stack` was on
/// @param recordsMemory whether `profile_memory` was on
/// @param epochNanos nanoseconds since 1970 of the trace's base, or -1
/// @param windowStartNanos start of the recorded window, since the base
/// @param windowEndNanos end of the recorded window, since the base
/// @param events events in the file, also those that make no slice; -1 where it has none by itself
/// @param bytes length of the file, unpacked; -1 where that says nothing
/// @param metadata the remaining top-level values as text, in file order
public record Recording(
    String kind,
    int rank,
    String rankSource,
    int worldSize,
    String backend,
    @Nullable String torchVersion,
    boolean recordsShapes,
    boolean recordsStacks,
    boolean recordsMemory,
    long epochNanos,
    long windowStartNanos,
    long windowEndNanos,
    long events,
    long bytes,
    List<Device> devices,
    List<ProcessGroup> processGroups,
    Map<String, String> metadata) {
  public Recording {
    devices = List.copyOf(devices);
    processGroups = List.copyOf(processGroups);
  }
}
