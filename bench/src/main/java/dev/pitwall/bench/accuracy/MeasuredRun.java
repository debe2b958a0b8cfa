package dev.pitwall.bench.accuracy;

import dev.pitwall.json.Json;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceFiles;
import dev.pitwall.trace.TraceIndex;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// A program whose step was measured without the profiler, and its recordings: one a rank.
///
/// @param group folder it lies in
/// @param stepMillis measured step
record MeasuredRun(String group, String variant, double stepMillis, List<Path> traces) {
  MeasuredRun {
    traces = List.copyOf(traces);
  }

  /// All runs below a folder of the layout `GROUP/truth.jsonl`,
  /// `GROUP/VARIANT[.rankR].trace.json.gz` that have both a measured step and a recording.
  static List<MeasuredRun> under(Path folder) throws IOException {
    List<MeasuredRun> runs = new ArrayList<>();
    try (Stream<Path> groups = Files.list(folder)) {
      for (Path group : groups.filter(Files::isDirectory).sorted().toList()) {
        Path truth = group.resolve("truth.jsonl");
        if (Files.exists(truth)) {
          addRuns(group, truth, runs);
        }
      }
    }
    return runs;
  }

  private static void addRuns(Path group, Path truth, List<MeasuredRun> runs) throws IOException {
    for (String line : Files.readAllLines(truth)) {
      if (line.isBlank()) {
        continue;
      }
      Json run = Json.parse(line);
      String variant = run.get("variant").text("");
      double step = run.get("step_ms").number(Double.NaN);
      List<Path> traces = tracesOf(group, variant);
      if (!Double.isNaN(step) && !traces.isEmpty()) {
        runs.add(new MeasuredRun(group.getFileName().toString(), variant, step, traces));
      }
    }
  }

  private static List<Path> tracesOf(Path group, String variant) throws IOException {
    try (Stream<Path> files = Files.list(group)) {
      return files
          .filter(
              file -> {
                String name = file.getFileName().toString();
                return name.startsWith(variant + ".") && name.contains(".trace.json");
              })
          .sorted()
          .toList();
    }
  }

  /// `group/variant`, as in the tables beside the recordings.
  String name() {
    return group + "/" + variant;
  }

  /// The recordings, read anew.
  List<TraceIndex> read() {
    List<TraceIndex> indexes = new ArrayList<>();
    for (Path file : traces) {
      for (Trace trace : TraceFiles.read(file)) {
        indexes.add(TraceIndex.of(trace, null));
      }
    }
    return indexes;
  }
}
