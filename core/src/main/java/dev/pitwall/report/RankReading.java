package dev.pitwall.report;

import dev.pitwall.error.PitwallException;
import dev.pitwall.report.section.JoinSection;
import dev.pitwall.report.section.Section;
import dev.pitwall.trace.Counter;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceInput;
import dev.pitwall.trace.TraceReaders;
import dev.pitwall.trace.join.ClockAlignment;
import dev.pitwall.trace.join.JoinedTrace;
import dev.pitwall.trace.join.SampleClock;
import dev.pitwall.trace.smi.SampleLog;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// One rank's trace as it is analyzed: with what other recorders saw of the same job on its clock.
///
/// @param file the trace
/// @param sections how the others were joined
public record RankReading(Path file, Trace trace, List<Section> sections) {
  private static final String SQLITE = "SQLite format 3";

  /// What is read together as one rank.
  ///
  /// @param export an Nsight Systems export of the same job
  public record Files(Path trace, Optional<Path> export) {}

  /// One rank a file, but for two files of which one is an export of Nsight Systems and the other
  /// is not: those are two recordings of one job.
  public static List<Files> of(List<Path> files) {
    if (files.size() == 2 && isExport(files.getFirst()) != isExport(files.getLast())) {
      boolean exportIsFirst = isExport(files.getFirst());
      return List.of(
          new Files(
              exportIsFirst ? files.getLast() : files.getFirst(),
              Optional.of(exportIsFirst ? files.getFirst() : files.getLast())));
    }
    return files.stream().map(file -> new Files(file, Optional.empty())).toList();
  }

  /// Reads and joins.
  ///
  /// @param logs device samples that may be of the same time
  /// @throws dev.pitwall.error.PitwallException where a file cannot be read, or trace and export
  /// are not of the same job
  public static RankReading read(Files files, List<SampleLog> logs) {
    Trace trace = TraceReaders.read(files.trace());
    List<Section> sections = new ArrayList<>();
    if (files.export().isPresent()) {
      Path path = files.export().get();
      Trace export = TraceReaders.read(path);
      ClockAlignment clock =
          ClockAlignment.of(
              trace, files.trace().getFileName().toString(), export, path.getFileName().toString());
      trace = JoinedTrace.of(trace, export, clock);
      sections.add(JoinSection.ofExport(path.toString(), clock, trace));
    }
    for (SampleLog log : logs) {
      Optional<SampleClock> clock = SampleClock.of(trace, log);
      if (clock.isPresent()) {
        List<Counter> samples = clock.get().counters(trace, log);
        sections.add(JoinSection.ofSamples(log.kind(), clock.get(), trace, samples));
      }
    }
    return new RankReading(files.trace(), trace, List.copyOf(sections));
  }

  private static boolean isExport(Path file) {
    try (TraceInput input = TraceInput.open(file)) {
      return new String(input.head(), StandardCharsets.ISO_8859_1).startsWith(SQLITE);
    } catch (PitwallException unreadable) {
      // Whoever reads it says so.
      return false;
    }
  }
}
