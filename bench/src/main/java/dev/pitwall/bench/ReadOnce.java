package dev.pitwall.bench;

import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceFiles;
import java.nio.file.Path;

/// Reads one trace and prints what it holds and costs, as `key=value` words: `ReadOnce FILE`.
final class ReadOnce {
  private ReadOnce() {}

  public static void main(String[] arguments) {
    long before = System.nanoTime();
    Trace trace = TraceFiles.read(Path.of(arguments[0])).getFirst();
    long readNanos = System.nanoTime() - before;
    // Twice, since the first collection may leave what it found reachable only from itself.
    System.gc();
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    System.out.printf(
        "events=%d slices=%d bytes=%d heap=%d read_ms=%d%n",
        trace.recording().events(),
        trace.slices().size(),
        trace.recording().bytes(),
        runtime.totalMemory() - runtime.freeMemory(),
        readNanos / 1_000_000);
  }
}
