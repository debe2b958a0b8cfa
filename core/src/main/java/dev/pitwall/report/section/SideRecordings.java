package dev.pitwall.report.section;

import dev.pitwall.error.PitwallException;
import dev.pitwall.trace.TraceInput;
import dev.pitwall.trace.flight.FlightDump;
import dev.pitwall.trace.flight.FlightDumpReader;
import dev.pitwall.trace.memory.MemorySnapshotReader;
import dev.pitwall.trace.smi.SampleLogReader;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/// The recordings of a run that are no traces, told from their first bytes: memory snapshots, flight
/// recorder dumps and device samples, each as sections.
///
/// @param sections what they say
/// @param others the paths that are none of them: traces, or folders that also hold traces
public record SideRecordings(List<Section> sections, List<Path> others) {
  private static final int LARGEST_TEXT_BYTES = 1 << 28;

  /// What a file is, as far as this class cares.
  private enum Kind {
    MEMORY_SNAPSHOT,
    FLIGHT_DUMP,
    SAMPLES,
    OTHER
  }

  /// @param paths files, or folders whose files are looked at
  /// @throws PitwallException where a file is of a kind known here and cannot be read
  public static SideRecordings of(List<Path> paths) {
    List<Section> sections = new ArrayList<>();
    List<FlightDump> dumps = new ArrayList<>();
    List<Path> others = new ArrayList<>();
    for (Path path : paths) {
      if (!Files.isDirectory(path)) {
        if (!take(path, sections, dumps)) {
          others.add(path);
        }
        continue;
      }
      boolean onlyKnown = true;
      for (Path file : filesIn(path)) {
        onlyKnown &= take(file, sections, dumps) || isBeside(file);
      }
      if (!onlyKnown || (sections.isEmpty() && dumps.isEmpty())) {
        others.add(path);
      }
    }
    if (!dumps.isEmpty()) {
      sections.add(HangSection.of(dumps));
    }
    return new SideRecordings(List.copyOf(sections), List.copyOf(others));
  }

  private static boolean take(Path file, List<Section> sections, List<FlightDump> dumps) {
    if (!Files.isRegularFile(file)) {
      return false;
    }
    String name = file.getFileName().toString();
    try (TraceInput input = TraceInput.open(file)) {
      switch (kindOf(file, input.head())) {
        case MEMORY_SNAPSHOT ->
            sections.addAll(
                MemorySection.of(
                    file.toString(),
                    MemorySnapshotReader.read(new BufferedInputStream(input.stream(), 1 << 16), name)));
        case FLIGHT_DUMP ->
            dumps.add(FlightDumpReader.read(input.stream().readNBytes(LARGEST_TEXT_BYTES), name));
        case SAMPLES ->
            sections.add(
                SamplesSection.of(
                    file.toString(),
                    SampleLogReader.read(input.stream().readNBytes(LARGEST_TEXT_BYTES), name)));
        case OTHER -> {
          return false;
        }
      }
      return true;
    } catch (IOException failure) {
      throw PitwallException.unreadable(
          file + " cannot be read (" + failure.getMessage() + "); check the path and its permissions.");
    }
  }

  private static Kind kindOf(Path file, byte[] head) {
    String text = new String(head, StandardCharsets.ISO_8859_1);
    boolean pickle = head.length > 2 && (head[0] & 0xFF) == 0x80 && head[1] <= 5;
    if (pickle) {
      boolean flight = text.contains("pg_config") || text.contains("pg_status") || text.contains("nccl_version");
      return flight && !text.contains("segments") ? Kind.FLIGHT_DUMP : Kind.MEMORY_SNAPSHOT;
    }
    String stripped = text.strip();
    if (stripped.startsWith("{")) {
      return text.contains("\"pg_config\"") || (text.contains("\"entries\"") && text.contains("\"version\""))
          ? Kind.FLIGHT_DUMP
          : Kind.OTHER;
    }
    String lower = stripped.toLowerCase(Locale.ROOT);
    String suffix = file.getFileName().toString().toLowerCase(Locale.ROOT);
    boolean table =
        lower.contains("utilization.gpu")
            || lower.contains("power.draw")
            || lower.contains("gpuid,timestampus")
            || lower.matches("(?s).*#\\s*(date\\s+time\\s+)?gpu\\s.*")
            || (lower.startsWith("device,") && lower.contains("gpu"));
    boolean textual = suffix.endsWith(".csv") || suffix.endsWith(".txt") || suffix.endsWith(".log") || suffix.endsWith(".gz");
    return table && textual ? Kind.SAMPLES : Kind.OTHER;
  }

  /// Files that lie beside recordings and are none.
  private static boolean isBeside(Path file) {
    String name = file.getFileName().toString();
    return !Files.isRegularFile(file)
        || name.endsWith(".jsonl")
        || name.endsWith(".tsv")
        || name.endsWith(".md")
        || name.endsWith(".log");
  }

  private static List<Path> filesIn(Path folder) {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.filter(Files::isRegularFile).sorted().toList();
    } catch (IOException failure) {
      throw PitwallException.unreadable(
          folder + " cannot be listed (" + failure.getMessage() + "); check its permissions.");
    }
  }
}
