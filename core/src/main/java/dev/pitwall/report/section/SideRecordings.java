package dev.pitwall.report.section;

import dev.pitwall.error.PitwallException;
import dev.pitwall.trace.LossLedger;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceInput;
import dev.pitwall.trace.TraceReaders;
import dev.pitwall.trace.chakra.ExecutionTrace;
import dev.pitwall.trace.flight.FlightDump;
import dev.pitwall.trace.flight.FlightDumpReader;
import dev.pitwall.trace.memory.AllocationHistory;
import dev.pitwall.trace.memory.MemorySnapshot;
import dev.pitwall.trace.memory.MemorySnapshotReader;
import dev.pitwall.trace.smi.SampleLog;
import dev.pitwall.trace.smi.SampleLogReader;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The recordings of a run that are no traces, told from their first bytes: memory snapshots,
/// flight recorder dumps and device samples, each as sections.
///
/// @param sections what they say
/// @param executionTraces execution traces, which need the times of the traces beside them
/// @param samples the logs of device samples themselves
/// @param sources the files they come from
/// @param others the paths that are none of them: traces, or folders that also hold traces
public record SideRecordings(
    List<Section> sections,
    List<NamedExecutionTrace> executionTraces,
    List<SampleLog> samples,
    List<Source> sources,
    List<Path> others) {
  private static final int LARGEST_TEXT_BYTES = 1 << 28;

  public SideRecordings {
    sections = List.copyOf(sections);
    executionTraces = List.copyOf(executionTraces);
    samples = List.copyOf(samples);
    sources = List.copyOf(sources);
    others = List.copyOf(others);
  }

  /// The same with more sections before its own, and with more files, such as those that could not
  /// be read.
  public SideRecordings with(List<Section> moreSections, List<Source> moreSources) {
    List<Section> allSections = new ArrayList<>(moreSections);
    allSections.addAll(sections);
    List<Source> allSources = new ArrayList<>(sources);
    allSources.addAll(moreSources);
    return new SideRecordings(allSections, executionTraces, samples, allSources, others);
  }

  /// The traces that paths mean; files that are listed here already are none.
  ///
  /// @throws PitwallException where a path does not exist or a folder holds no recording
  public List<Path> tracesOf(List<Path> paths) {
    if (paths.isEmpty()) {
      return List.of();
    }
    Set<String> known =
        sources.stream()
            .filter(source -> !source.isTrace())
            .map(Source::path)
            .collect(Collectors.toSet());
    return TraceReaders.filesOf(paths).stream()
        .filter(file -> !known.contains(file.toString()))
        .toList();
  }

  /// The files that could not be read.
  public List<Source> refused() {
    return sources.stream().filter(Source::isRefused).toList();
  }

  /// Nothing beside the traces.
  public static SideRecordings none() {
    return new SideRecordings(List.of(), List.of(), List.of(), List.of(), List.of());
  }

  /// An execution trace and the file it comes from.
  public record NamedExecutionTrace(String path, ExecutionTrace trace) {}

  /// One file that was read.
  ///
  /// @param kind `memory-snapshot`, `flight-recorder`, `device-samples` or `refused`
  /// @param rank -1 where the file does not say
  /// @param firstNanos start of a trace's first row, 0 for everything else
  public record Source(
      String path,
      String kind,
      int rank,
      long events,
      long bytes,
      long firstNanos,
      List<LossLedger.Entry> warnings) {
    /// The kind of a flight recorder dump.
    public static final String FLIGHT_RECORDER = "flight-recorder";

    private static final String REFUSED = "refused";
    private static final String TRACE = "trace";

    /// A recording that is no trace.
    Source(
        String path,
        String kind,
        int rank,
        long events,
        long bytes,
        List<LossLedger.Entry> warnings) {
      this(path, kind, rank, events, bytes, 0, warnings);
    }

    /// A trace of which only what stands beside a step is reported.
    public static Source trace(Path file, Trace trace) {
      Slices slices = trace.slices();
      long first = Long.MAX_VALUE;
      for (int row = 0; row < slices.size(); row++) {
        first = Math.min(first, slices.startNanos(row));
      }
      return new Source(
          file.toString(),
          TRACE,
          trace.recording().rank(),
          slices.size(),
          file.toFile().length(),
          slices.size() == 0 ? 0 : first,
          List.of());
    }

    /// A log that the compiler wrote.
    public static Source compileLog(String file, int rank, long events, long bytes) {
      return new Source(file, "torch-trace", rank, events, bytes, List.of());
    }

    public boolean isTrace() {
      return kind.equals(TRACE);
    }

    /// A file that could not be read, with the reason.
    public static Source refused(Path file, PitwallException refusal) {
      String sentence = String.valueOf(refusal.getMessage());
      return new Source(
          file.toString(), REFUSED, -1, 0, 0, List.of(new LossLedger.Entry(REFUSED, 1, sentence)));
    }

    public boolean isRefused() {
      return kind.equals(REFUSED);
    }
  }

  /// What a file is, as far as this class cares.
  private enum Kind {
    MEMORY_SNAPSHOT,
    FLIGHT_DUMP,
    SAMPLES,
    EXECUTION_TRACE,
    /// Chakra's protobuf form.
    CONVERTED_GRAPH,
    OTHER
  }

  /// A file of a kind known here that cannot be read becomes a source of the kind `refused`.
  ///
  /// @param paths files, or folders whose files are looked at
  /// @throws PitwallException where that is all there is
  public static SideRecordings of(List<Path> paths) {
    Found found = new Found();
    List<Path> others = new ArrayList<>();
    for (Path path : paths) {
      if (path.toString().isEmpty()) {
        others.add(path);
        continue;
      }
      if (!Files.isDirectory(path)) {
        if (!found.takeOrRefuse(path)) {
          others.add(path);
        }
        continue;
      }
      boolean onlyKnown = true;
      for (Path file : filesIn(path)) {
        onlyKnown &= found.takeOrRefuse(file) || isBeside(file);
      }
      if (!onlyKnown || (found.isNothing() && found.refusals.isEmpty())) {
        others.add(path);
      }
    }
    if (!found.dumps.isEmpty()) {
      found.sections.add(HangSection.of(found.dumps));
    }
    if (others.isEmpty() && found.isNothing() && !found.refusals.isEmpty()) {
      throw found.refusals.getFirst();
    }
    return new SideRecordings(
        found.sections, found.executionTraces, found.samples, found.sources, others);
  }

  /// What has been found so far.
  private static final class Found {
    private final List<Section> sections = new ArrayList<>();
    private final List<Source> sources = new ArrayList<>();
    private final List<FlightDump> dumps = new ArrayList<>();
    private final List<NamedExecutionTrace> executionTraces = new ArrayList<>();
    private final List<SampleLog> samples = new ArrayList<>();
    private final List<PitwallException> refusals = new ArrayList<>();

    private boolean isNothing() {
      return sections.isEmpty() && dumps.isEmpty() && executionTraces.isEmpty();
    }

    private boolean takeOrRefuse(Path file) {
      try {
        return take(file);
      } catch (PitwallException refusal) {
        refusals.add(refusal);
        sources.add(Source.refused(file, refusal));
        return true;
      }
    }

    private boolean take(Path file) {
      if (!Files.isRegularFile(file)) {
        return false;
      }
      String name = file.getFileName().toString();
      try (TraceInput input = TraceInput.open(file)) {
        switch (kindOf(file, input.head())) {
          case MEMORY_SNAPSHOT -> {
            MemorySnapshot snapshot =
                MemorySnapshotReader.read(new BufferedInputStream(input.stream(), 1 << 16), name);
            sections.addAll(MemorySection.of(file.toString(), snapshot));
            long events = snapshot.histories().stream().mapToLong(AllocationHistory::size).sum();
            sources.add(source(file, "memory-snapshot", -1, events, snapshot.losses()));
          }
          case FLIGHT_DUMP -> {
            FlightDump dump =
                FlightDumpReader.read(input.stream().readNBytes(LARGEST_TEXT_BYTES), name);
            dumps.add(dump);
            sources.add(
                source(
                    file,
                    Source.FLIGHT_RECORDER,
                    dump.rank(),
                    dump.entries().size(),
                    new LossLedger()));
          }
          case SAMPLES -> {
            SampleLog log =
                SampleLogReader.read(input.stream().readNBytes(LARGEST_TEXT_BYTES), name);
            sections.add(SamplesSection.of(file.toString(), log));
            samples.add(log);
            long events =
                log.counters().stream().mapToLong(counter -> counter.values().size()).sum();
            sources.add(source(file, "device-samples", -1, events, log.losses()));
          }
          case EXECUTION_TRACE -> {
            ExecutionTrace trace =
                ExecutionTrace.parse(
                    new String(
                        input.stream().readNBytes(LARGEST_TEXT_BYTES), StandardCharsets.UTF_8),
                    name);
            executionTraces.add(new NamedExecutionTrace(file.toString(), trace));
            sources.add(
                source(file, "execution-trace", -1, trace.nodes().size(), new LossLedger()));
          }
          case CONVERTED_GRAPH ->
              throw PitwallException.unreadable(
                  file
                      + " is a converted Chakra graph (protobuf), which has no operators of"
                      + " PyTorch; give the execution trace (JSON) that it was made from.");
          case OTHER -> {
            return false;
          }
        }
        return true;
      } catch (IOException failure) {
        throw PitwallException.unreadable(
            file
                + " cannot be read ("
                + failure.getMessage()
                + "); check the path and its permissions.");
      }
    }
  }

  private static Source source(Path file, String kind, int rank, long events, LossLedger losses)
      throws IOException {
    return new Source(file.toString(), kind, rank, events, Files.size(file), losses.entries());
  }

  private static Kind kindOf(Path file, byte[] head) {
    String text = new String(head, StandardCharsets.ISO_8859_1);
    boolean pickle = head.length > 2 && (head[0] & 0xFF) == 0x80 && head[1] <= 5;
    if (pickle) {
      boolean flight =
          text.contains("pg_config") || text.contains("pg_status") || text.contains("nccl_version");
      return flight && !text.contains("segments") ? Kind.FLIGHT_DUMP : Kind.MEMORY_SNAPSHOT;
    }
    String stripped = text.strip();
    if (stripped.startsWith("{") && text.contains("\"schema\"") && text.contains("\"nodes\"")) {
      return Kind.EXECUTION_TRACE;
    }
    if (file.getFileName().toString().matches(".*\\.et(\\.gz)?")) {
      return Kind.CONVERTED_GRAPH;
    }
    if (stripped.startsWith("{")) {
      boolean trace =
          Stream.of("schemaVersion", "traceEvents", "distributedInfo", "deviceProperties")
              .anyMatch(key -> text.contains('"' + key + '"'));
      boolean flight =
          text.contains("\"pg_config\"")
              || (text.contains("\"entries\"") && text.contains("\"version\""));
      return flight && !trace ? Kind.FLIGHT_DUMP : Kind.OTHER;
    }
    String lower = stripped.toLowerCase(Locale.ROOT);
    String suffix = file.getFileName().toString().toLowerCase(Locale.ROOT);
    boolean table =
        lower.contains("utilization.gpu")
            || lower.contains("power.draw")
            || lower.contains("gpuid,timestampus")
            || lower.matches("(?s).*#\\s*(date\\s+time\\s+)?gpu\\s.*")
            || (lower.startsWith("device,") && lower.contains("gpu"));
    boolean textual =
        suffix.endsWith(".csv")
            || suffix.endsWith(".txt")
            || suffix.endsWith(".log")
            || suffix.endsWith(".gz");
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
