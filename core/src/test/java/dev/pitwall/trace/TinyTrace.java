package dev.pitwall.trace;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Builds small traces in tests, in microseconds, with one call a slice.
public final class TinyTrace {
  private final TraceBuilder builder = new TraceBuilder();
  private final Map<String, Integer> threads = new HashMap<>();
  private final Map<Long, Integer> streams = new HashMap<>();

  /// A slice on a CPU thread named `thread`.
  public TinyTrace cpu(
      String thread, Category category, String name, long startMicros, long micros) {
    return cpu(thread, category, name, startMicros, micros, Slices.NONE);
  }

  public TinyTrace cpu(
      String thread,
      Category category,
      String name,
      long startMicros,
      long micros,
      int correlation) {
    int track =
        threads.computeIfAbsent(
            thread, id -> builder.addTrack(Track.Kind.CPU_THREAD, "1", id, "", -1, -1));
    add(track, category, name, startMicros, micros, correlation);
    return this;
  }

  /// A slice on a stream of device 0.
  public TinyTrace device(
      long stream, Category category, String name, long startMicros, long micros, int correlation) {
    int track =
        streams.computeIfAbsent(
            stream, id -> builder.addTrack(Track.Kind.STREAM, "0", Long.toString(id), "", 0, id));
    add(track, category, name, startMicros, micros, correlation);
    return this;
  }

  public TraceBuilder builder() {
    return builder;
  }

  public Trace build() {
    return builder.build(
        new Recording(
            "test", -1, "", -1, "", null, false, false, false, -1, 0, 0, 0, 0, List.of(), List.of(),
            Map.of()));
  }

  public TraceIndex index() {
    return TraceIndex.of(build(), null);
  }

  private void add(
      int track, Category category, String name, long startMicros, long micros, int correlation) {
    builder.addSlice(
        track,
        category,
        0,
        builder.names().intern(name),
        startMicros * 1000,
        micros * 1000,
        correlation,
        Slices.NONE,
        Slices.NONE);
  }
}
