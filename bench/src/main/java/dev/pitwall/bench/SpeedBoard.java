package dev.pitwall.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;

/// Measures reading and analyzing a trace of 1 GB, plain and packed, with few long and with many
/// short steps: `SpeedBoard REPOSITORY SMALL_TRACE.gz STACK_TRACE.gz [BYTES]`.
///
/// Every line is one whole process on two cores, the Java machine's start included, the best of
/// three runs. The yardstick for packed files is `gzip -dc` of the same file in the same run. The
/// large files lie in the system's temporary folder and are deleted.
final class SpeedBoard {
  private static final int RUNS = 3;
  private static final long GIGABYTE = 1_000_000_000L;

  private final Path repository;
  private final Path folder;
  private final List<String> twoCores;

  private SpeedBoard(Path repository, Path folder) {
    this.repository = repository;
    this.folder = folder;
    twoCores =
        Files.isExecutable(Path.of("/usr/bin/taskset"))
            ? List.of("taskset", "-c", "0,1")
            : List.of();
  }

  public static void main(String[] arguments) throws IOException {
    Path folder = Files.createTempDirectory("pitwall-speed");
    long bytes = arguments.length > 3 ? Long.parseLong(arguments[3]) : GIGABYTE;
    SpeedBoard board = new SpeedBoard(Path.of(arguments[0]), folder);
    try {
      System.out.println(
          "file                          program           wall s  CPU s  RSS MB  MB/s  MB/s/core "
              + " heap B/event");
      board.measure(Path.of(arguments[1]), "5-steps.json", bytes, 5);
      board.measure(Path.of(arguments[2]), "375-steps.json", bytes, 375);
    } finally {
      try (var files = Files.list(folder)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(folder);
    }
  }

  private void measure(Path small, String name, long bytes, int steps) throws IOException {
    Path plain = folder.resolve(name);
    try (OutputStream out = Files.newOutputStream(plain)) {
      new RepeatedTrace(small).write(out, bytes, steps);
    }
    Path packed = folder.resolve(name + ".gz");
    try (InputStream in = Files.newInputStream(plain);
        OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed), 1 << 16)) {
      in.transferTo(out);
    }
    long plainBytes = Files.size(plain);
    for (Path file : List.of(plain, packed)) {
      if (file.equals(packed)) {
        line(
            file,
            "gzip -dc",
            plainBytes,
            List.of("sh", "-c", "exec gzip -dc '" + file + "' > /dev/null"));
      }
      line(file, "read", plainBytes, readCommand(file));
      Path launcher = repository.resolve("pitwall");
      if (Files.isExecutable(launcher)) {
        line(
            file,
            "pitwall analyze",
            plainBytes,
            List.of(launcher.toString(), "analyze", file.toString()));
      }
    }
    Files.delete(plain);
    Files.delete(packed);
  }

  private static List<String> readCommand(Path file) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:+UseParallelGC",
        "-cp",
        System.getProperty("java.class.path"),
        ReadOnce.class.getName(),
        file.toString());
  }

  private void line(Path file, String program, long plainBytes, List<String> command)
      throws IOException {
    List<String> pinned = new ArrayList<>(twoCores);
    pinned.addAll(command);
    WholeProcess best = WholeProcess.run(pinned);
    for (int run = 1; run < RUNS; run++) {
      WholeProcess next = WholeProcess.run(pinned);
      best = next.wallSeconds() < best.wallSeconds() ? next : best;
    }
    if (best.exitCode() != 0) {
      System.out.printf(
          "%-29s %-16s failed: %s%n", file.getFileName(), program, best.output().strip());
      return;
    }
    Map<String, Long> facts = facts(best.output());
    long events = facts.getOrDefault("events", 0L);
    System.out.printf(
        "%-29s %-16s %7.2f %6.2f %7d %5.0f %10.0f  %s%n",
        file.getFileName(),
        program,
        best.wallSeconds(),
        best.cpuSeconds(),
        best.peakBytes() >> 20,
        plainBytes / 1e6 / best.wallSeconds(),
        plainBytes / 1e6 / best.cpuSeconds(),
        events == 0 ? "" : "%12.1f".formatted((double) facts.getOrDefault("heap", 0L) / events));
  }

  private static Map<String, Long> facts(String output) {
    Map<String, Long> facts = new TreeMap<>();
    for (String word : output.split("\\s+")) {
      int equals = word.indexOf('=');
      if (equals > 0 && word.substring(equals + 1).matches("\\d{1,18}")) {
        facts.put(word.substring(0, equals), Long.parseLong(word.substring(equals + 1)));
      }
    }
    return facts;
  }
}
