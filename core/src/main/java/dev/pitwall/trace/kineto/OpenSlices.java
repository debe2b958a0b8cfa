package dev.pitwall.trace.kineto;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Slices written as a begin (`"ph": "B"`) and an end (`"E"`): the end closes the innermost begin
/// of its lane.
final class OpenSlices {
  /// A slice that has begun.
  record Open(int nameId, int categoryId, long startNanos) {}

  private record Lane(long process, long thread) {}

  private final Map<Lane, Deque<Open>> open = new HashMap<>();

  void begin(Event event) {
    open.computeIfAbsent(new Lane(event.process, event.thread), unseen -> new ArrayDeque<>())
        .push(new Open(event.nameId, event.categoryId, event.timeNanos));
  }

  /// The slice that this event ends, or null where none is open.
  @Nullable Open end(Event event) {
    Deque<Open> lane = open.get(new Lane(event.process, event.thread));
    return lane == null ? null : lane.poll();
  }

  /// Slices that never ended.
  long unfinished() {
    return open.values().stream().mapToLong(Deque::size).sum();
  }
}
