package dev.pitwall.bench;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/// Measures analyzing a folder of many ranks: `RanksBoard REPOSITORY TRACE.gz... [--ranks N]
/// [--bytes N] [--folder KEPT]`, a trace a real rank.
///
/// Rank `r` is real rank `r` modulo their number, its steps repeated up to the size, under a rank,
/// a world size and a clock of its own. A file is two gzip members: its own head, and events that
/// ranks share, so that 64 files of 20 MB are written in seconds. The yardstick is unpacking them
/// on two cores.
final class RanksBoard {
  private static final long CLOCK_STEP_NANOS = 1_234_567;

  private RanksBoard() {}

  public static void main(String[] arguments) throws IOException {
    int ranks = 64;
    long bytes = 20_000_000;
    Path kept = null;
    List<Path> real = new ArrayList<>();
    for (int i = 1; i < arguments.length; i++) {
      switch (arguments[i]) {
        case "--ranks" -> ranks = Integer.parseInt(arguments[++i]);
        case "--bytes" -> bytes = Long.parseLong(arguments[++i]);
        case "--folder" -> kept = Path.of(arguments[++i]);
        default -> real.add(Path.of(arguments[i]));
      }
    }
    if (kept != null) {
      write(real, Files.createDirectories(kept), ranks, bytes);
      measure(Path.of(arguments[0]), kept, ranks);
      return;
    }
    Path folder = Files.createTempDirectory("pitwall-ranks");
    try {
      write(real, folder, ranks, bytes);
      measure(Path.of(arguments[0]), folder, ranks);
    } finally {
      try (var files = Files.list(folder)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(folder);
    }
  }

  private static void write(List<Path> real, Path folder, int ranks, long bytes)
      throws IOException {
    List<RepeatedTrace> traces = new ArrayList<>();
    for (Path one : real) {
      traces.add(new RepeatedTrace(one, true));
    }
    // Copies as far apart on every rank, so that collectives stay those of one job.
    long length = traces.stream().mapToLong(RepeatedTrace::nanosOfCopy).max().orElseThrow();
    int copies = Math.max(1, Math.round((float) bytes / Files.size(real.getFirst())));
    for (int variant = 0; variant < real.size(); variant++) {
      RepeatedTrace trace = traces.get(variant);
      Path events = folder.resolve("events");
      writePacked(events, out -> trace.writeCopies(out, copies, length));
      for (int rank = variant; rank < ranks; rank += real.size()) {
        String head = head(trace.head(), rank, ranks);
        Path file = folder.resolve("rank%04d.trace.json.gz".formatted(rank));
        writePacked(file, out -> out.write(head.getBytes(StandardCharsets.UTF_8)));
        try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.APPEND)) {
          Files.copy(events, out);
        }
      }
      Files.delete(events);
    }
  }

  /// Writes the content of one gzip member.
  @FunctionalInterface
  private interface Content {
    void writeTo(OutputStream out) throws IOException;
  }

  private static void writePacked(Path file, Content content) throws IOException {
    try (OutputStream out =
        new BufferedOutputStream(
            new GZIPOutputStream(Files.newOutputStream(file), 1 << 16), 1 << 20)) {
      content.writeTo(out);
    }
  }

  /// The head of a real rank's file, for another rank of a larger job with another clock.
  private static String head(String head, int rank, int ranks) {
    long base = Long.parseLong(head.replaceAll("(?s).*\"baseTimeNanoseconds\": (\\d+).*", "$1"));
    return head.replaceFirst("\"rank\": \\d+", "\"rank\": " + rank)
        .replaceFirst("\"world_size\": \\d+", "\"world_size\": " + ranks)
        .replaceFirst("(\"baseTimeNanoseconds\": )\\d+", "$1" + (base + rank * CLOCK_STEP_NANOS));
  }

  private static void measure(Path repository, Path folder, int ranks) throws IOException {
    long packed = 0;
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        packed += Files.size(file);
      }
    }
    System.out.printf("%d ranks, %.1f MB of .gz a rank%n", ranks, packed / 1e6 / ranks);
    System.out.println("program             wall s    CPU s  RSS MB");
    System.out.printf(
        "gzip -dc, 2 at once %6.1f%n",
        WholeProcess.run(
                List.of(
                    "sh", "-c", "ls " + folder + "/*.gz | xargs -P 2 -n 1 gzip -dc > /dev/null"))
            .wallSeconds());
    WholeProcess analysis =
        WholeProcess.run(
            List.of(repository.resolve("pitwall").toString(), "analyze", folder.toString()));
    System.out.printf(
        "pitwall analyze     %6.1f %8.1f %7d%n",
        analysis.wallSeconds(), analysis.cpuSeconds(), analysis.peakBytes() >> 20);
    if (analysis.exitCode() != 0) {
      System.out.println(analysis.output().strip());
    }
  }
}
