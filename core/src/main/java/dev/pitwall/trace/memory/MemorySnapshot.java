package dev.pitwall.trace.memory;

import dev.pitwall.trace.LossLedger;
import java.util.List;
import java.util.Map;

/// What `torch.cuda.memory._dump_snapshot` wrote: the segments at the moment of the dump, and for
/// each device the history before it.
///
/// @param segments all devices' segments
/// @param histories history of each device, by device index; empty where none was recorded
/// @param stacks distinct stacks, each a text of `function (file:line)` frames, innermost first
/// @param annotations ranges the program marked, such as `Optimizer.step#AdamW.step`
/// @param settings allocator settings as text
public record MemorySnapshot(
    List<Segment> segments,
    List<AllocationHistory> histories,
    List<List<String>> stacks,
    List<Annotation> annotations,
    Map<String, String> settings,
    LossLedger losses) {
  public MemorySnapshot {
    segments = List.copyOf(segments);
    histories = List.copyOf(histories);
    stacks = List.copyOf(stacks);
    annotations = List.copyOf(annotations);
  }

  /// One end of a range that the program marked.
  public record Annotation(String name, boolean start, int device, long timeMicros) {}

  /// Bytes of all segments of a device: what the allocator holds of it.
  public long reservedBytes(int device) {
    return segments.stream().filter(s -> s.device() == device).mapToLong(Segment::totalBytes).sum();
  }

  /// Bytes in use on a device.
  public long activeBytes(int device) {
    return segments.stream()
        .filter(s -> s.device() == device)
        .mapToLong(Segment::activeBytes)
        .sum();
  }
}
