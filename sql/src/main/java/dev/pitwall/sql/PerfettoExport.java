package dev.pitwall.sql;

import dev.pitwall.error.PitwallException;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Counter;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.Track;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;

/// Writes a run as Trace Event JSON, which Perfetto and `chrome://tracing` open: slices, the steps
/// as a track of their own, counters, and flow arrows from launches to device work. Kineto's
/// annotation copies on streams are kept. Times are microseconds with three decimals.
public final class PerfettoExport {
  private final Writer out;
  private boolean first = true;

  private PerfettoExport(Writer out) {
    this.out = out;
  }

  /// Writes the run to a file, gzip-compressed where its name ends in `.gz`. The file appears under
  /// its name only when it is complete.
  ///
  /// @throws PitwallException (exit code 2) where the file cannot be written
  public static void write(List<TraceIndex> ranks, Path file) {
    Path partial = file.resolveSibling("." + file.getFileName() + ".part");
    try {
      try {
        try (var bytes = Files.newOutputStream(partial);
            var packed =
                file.toString().endsWith(".gz") ? new GZIPOutputStream(bytes, 1 << 16) : bytes;
            Writer text =
                new BufferedWriter(
                    new OutputStreamWriter(packed, StandardCharsets.UTF_8), 1 << 16)) {
          write(ranks, text);
        }
        Files.move(
            partial, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(partial);
      }
    } catch (IOException failure) {
      throw PitwallException.usage("cannot write " + file + ": " + failure.getMessage());
    }
  }

  static void write(List<TraceIndex> ranks, Writer text) {
    PerfettoExport export = new PerfettoExport(text);
    try {
      text.write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
      for (int i = 0; i < ranks.size(); i++) {
        export.rank(ranks.get(i), i);
      }
      text.write("\n]}\n");
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  // A process of Perfetto is a rank's CPU side (2 * rank) or one of its devices; a thread is a
  // track.
  private void rank(TraceIndex index, int number) throws IOException {
    Trace trace = index.trace();
    int recorded = trace.recording().rank();
    String label = "rank " + (recorded < 0 ? number : recorded);
    int cpu = 2 * number + 1;
    int devices = 2 * number + 2;
    metadata(cpu, 0, "process_name", label + " CPU");
    metadata(devices, 0, "process_name", label + " GPU");
    for (Track track : trace.tracks()) {
      int process = track.kind() == Track.Kind.STREAM ? devices : cpu;
      metadata(process, thread(track), "thread_name", track.label());
    }
    steps(index, cpu);
    slices(index, cpu, devices);
    for (Counter counter : trace.counters()) {
      counter(counter, counter.device() < 0 ? cpu : devices);
    }
  }

  // Thread 1 of a process is the track of the steps.
  private static int thread(Track track) {
    return track.id() + 2;
  }

  private void steps(TraceIndex index, int process) throws IOException {
    if (index.steps().count() == 0) {
      return;
    }
    metadata(process, 1, "thread_name", "steps");
    for (int step = 0; step < index.steps().count(); step++) {
      long start = index.steps().startNanos()[step];
      begin("X", process, 1, start);
      out.write(",\"dur\":");
      micros(index.steps().endNanos()[step] - start);
      out.write(",\"name\":");
      quote("step " + step);
      out.write('}');
    }
  }

  private void slices(TraceIndex index, int cpu, int devices) throws IOException {
    Trace trace = index.trace();
    Slices slices = trace.slices();
    for (int row = 0; row < slices.size(); row++) {
      Track track = trace.tracks().get(slices.track(row));
      int process = track.kind() == Track.Kind.STREAM ? devices : cpu;
      Category category = slices.category(row);
      begin("X", process, thread(track), slices.startNanos(row));
      out.write(",\"dur\":");
      micros(slices.durationNanos(row));
      out.write(",\"cat\":\"");
      out.write(word(category));
      out.write("\",\"name\":");
      quote(trace.name(row));
      arguments(trace, row);
      out.write('}');
      if (category.isDeviceWork() && index.launches().launchOf(row) != Slices.NONE) {
        flow(trace, index.launches().launchOf(row), row, cpu, process);
      }
    }
  }

  /// The category as Kineto writes it, so that what reads its traces reads these.
  private static String word(Category category) {
    return switch (category) {
      case RUNTIME -> "cuda_runtime";
      case DRIVER -> "cuda_driver";
      case MEMCPY -> "gpu_memcpy";
      case MEMSET -> "gpu_memset";
      case DEVICE_SYNC -> "cuda_sync";
      case CPU_OP,
          USER_ANNOTATION,
          GPU_USER_ANNOTATION,
          PYTHON_FUNCTION,
          KERNEL,
          OVERHEAD,
          OS_RUNTIME,
          OTHER ->
          category.name().toLowerCase(Locale.ROOT);
    };
  }

  private void arguments(Trace trace, int row) throws IOException {
    Slices slices = trace.slices();
    out.write(",\"args\":{\"row\":" + row);
    if (slices.correlation(row) != Slices.NONE) {
      out.write(",\"correlation\":" + slices.correlation(row));
    }
    int operator = slices.operatorDetail(row);
    if (operator != Slices.NONE && slices.operators().inputShapesId(operator) > 0) {
      out.write(",\"input shapes\":");
      quote(trace.names().text(slices.operators().inputShapesId(operator)));
    }
    out.write('}');
  }

  private void flow(Trace trace, int launch, int deviceRow, int cpu, int devices)
      throws IOException {
    Slices slices = trace.slices();
    Track from = trace.tracks().get(slices.track(launch));
    Track to = trace.tracks().get(slices.track(deviceRow));
    begin("s", cpu, thread(from), slices.startNanos(launch));
    out.write(",\"cat\":\"launch\",\"name\":\"launch\",\"id\":" + deviceRow + "}");
    begin("f", devices, thread(to), slices.startNanos(deviceRow));
    out.write(",\"bp\":\"e\",\"cat\":\"launch\",\"name\":\"launch\",\"id\":" + deviceRow + "}");
  }

  private void counter(Counter counter, int process) throws IOException {
    for (int i = 0; i < counter.values().size(); i++) {
      double value = counter.values().get(i);
      if (Double.isFinite(value)) {
        begin("C", process, 0, counter.timeNanos().get(i));
        out.write(",\"name\":");
        quote(counter.name());
        out.write(",\"args\":{");
        quote(counter.unit().isEmpty() ? "value" : counter.unit());
        out.write(":" + value + "}}");
      }
    }
  }

  private void metadata(int process, int thread, String key, String value) throws IOException {
    begin("M", process, thread, 0);
    out.write(",\"name\":\"" + key + "\",\"args\":{\"name\":");
    quote(value);
    out.write("}}");
  }

  private void begin(String phase, int process, int thread, long timeNanos) throws IOException {
    out.write(first ? "\n" : ",\n");
    first = false;
    out.write("{\"ph\":\"" + phase + "\",\"pid\":" + process + ",\"tid\":" + thread + ",\"ts\":");
    micros(timeNanos);
  }

  private void micros(long nanos) throws IOException {
    long magnitude = Math.abs(nanos);
    if (nanos < 0) {
      out.write('-');
    }
    out.write(Long.toString(magnitude / 1000));
    out.write('.');
    String fraction = Long.toString(magnitude % 1000);
    out.write("000", 0, 3 - fraction.length());
    out.write(fraction);
  }

  private void quote(String text) throws IOException {
    out.write('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.write('\\');
        out.write(c);
      } else if (c < 0x20 || Character.isSurrogate(c)) {
        out.write(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        out.write(c);
      }
    }
    out.write('"');
  }
}
