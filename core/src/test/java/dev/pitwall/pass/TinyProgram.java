package dev.pitwall.pass;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Recording;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceBuilder;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.Track;
import java.util.List;
import java.util.Map;

/// Writes the recording of a small training program, operator by operator: one main thread, one
/// stream, times in microseconds. Operators nest by their bodies; each launch takes 5 us of the
/// host.
///
/// ```java
/// new TinyProgram()
///     .step(p -> p.operator("aten::mm", "[[64, 64], [64, 64]]", "[\"float\", \"float\"]",
///         q -> q.kernel("sgemm", 500)));
/// ```
public final class TinyProgram {
  /// What an operator does inside.
  public interface Body {
    void run(TinyProgram program);
  }

  private static final long LAUNCH_MICROS = 5;

  private final TraceBuilder builder = new TraceBuilder();
  private final int thread = builder.addTrack(Track.Kind.CPU_THREAD, "1", "1", "", -1, -1);
  private final int stream = builder.addTrack(Track.Kind.STREAM, "0", "7", "", 0, 7);
  private long now = 1_000;
  private long deviceFree;
  private int correlation = 1;
  private int steps;
  private int sequence = 1;

  /// A program of equal training steps.
  public static TinyProgram ofSteps(int steps, Body body) {
    TinyProgram program = new TinyProgram();
    for (int step = 0; step < steps; step++) {
      program.step(body);
    }
    return program;
  }

  /// One training step.
  public TinyProgram step(Body body) {
    return enclosing(Category.USER_ANNOTATION, "ProfilerStep#" + steps++, Slices.NONE, body);
  }

  /// A named range.
  public TinyProgram range(String name, Body body) {
    return enclosing(Category.USER_ANNOTATION, name, Slices.NONE, body);
  }

  /// An operator without recorded inputs.
  public TinyProgram operator(String name, Body body) {
    return operator(name, "", "", body);
  }

  /// An operator with the recorder's texts of its dimensions and element types.
  public TinyProgram operator(String name, String shapes, String types, Body body) {
    int detail =
        builder
            .operators()
            .add(
                builder.names().intern(shapes),
                builder.names().intern(types),
                0,
                0,
                sequence++,
                0,
                Slices.NONE,
                0);
    return enclosing(Category.CPU_OP, name, detail, body);
  }

  /// A kernel launched now.
  public TinyProgram kernel(String name, long micros) {
    return device(Category.KERNEL, "cudaLaunchKernel", name, micros, -1);
  }

  /// A copy launched now.
  public TinyProgram copy(String name, long micros, long bytes) {
    return device(Category.MEMCPY, "cudaMemcpyAsync", name, micros, bytes);
  }

  /// A call of the runtime that launches nothing; a synchronization waits for the stream.
  public TinyProgram call(String name, long micros) {
    long end = now + micros;
    if (name.contains("Synchronize") || name.equals("cudaFree")) {
      end = Math.max(end, deviceFree + 1);
    }
    slice(thread, Category.RUNTIME, name, now, end - now, correlation++, Slices.NONE);
    now = end;
    return this;
  }

  /// Host time outside of operators.
  public TinyProgram host(long micros) {
    now += micros;
    return this;
  }

  public TraceIndex index() {
    return TraceIndex.of(
        builder.build(
            new Recording(
                "test", -1, "", -1, "", null, true, false, false, -1, 0, 0, 0, 0, List.of(),
                List.of(), Map.of())),
        null);
  }

  private TinyProgram device(Category category, String call, String name, long micros, long bytes) {
    int detail = builder.deviceWork().add(-1, bytes, -1, -1, -1);
    slice(thread, Category.RUNTIME, call, now, LAUNCH_MICROS, correlation, Slices.NONE);
    long start = Math.max(now + LAUNCH_MICROS + 2, deviceFree + 1);
    slice(stream, category, name, start, micros, correlation++, detail);
    deviceFree = start + micros;
    now += LAUNCH_MICROS;
    return this;
  }

  private TinyProgram enclosing(Category category, String name, int detail, Body body) {
    long start = now;
    now += 2;
    body.run(this);
    now += 2;
    slice(thread, category, name, start, now - start, Slices.NONE, detail);
    return this;
  }

  private void slice(
      int track, Category category, String name, long start, long micros, int id, int detail) {
    builder.addSlice(
        track,
        category,
        0,
        builder.names().intern(name),
        start * 1000,
        micros * 1000,
        id,
        Slices.NONE,
        detail);
  }
}
