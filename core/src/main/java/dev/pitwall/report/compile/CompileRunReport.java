package dev.pitwall.report.compile;

import dev.pitwall.compile.CaptureAnalysis;
import dev.pitwall.compile.CaptureReport;
import dev.pitwall.error.PitwallException;
import dev.pitwall.finding.Finding;
import dev.pitwall.finding.Gain;
import dev.pitwall.report.JobSample;
import dev.pitwall.report.section.Section;
import dev.pitwall.report.section.SideRecordings;
import dev.pitwall.study.WhatIf;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.TraceReaders;
import dev.pitwall.trace.compilelog.CompileLog;
import dev.pitwall.trace.compilelog.CompileLogReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Reads the logs and traces of a compiled job and says what the compiler did. What a break costs a
/// step is found by removing it from the graph and simulating; for a program that is not compiled,
/// what compiling would do.
///
/// @param capture what the compiler did
/// @param prediction empty for a compiled program and without a trace
/// @param traces the trace that was read, if any
public record CompileRunReport(
    CaptureReport capture,
    Optional<PredictionSection> prediction,
    List<SideRecordings.Source> traces) {
  public CompileRunReport {
    traces = List.copyOf(traces);
  }

  /// @param paths TORCH_TRACE logs, traces of the same job, or folders that hold them
  /// @throws PitwallException (unreadable) where there is neither
  public static CompileRunReport read(List<Path> paths) {
    List<CompileLog> logs = new ArrayList<>();
    List<TraceIndex> traces = new ArrayList<>();
    List<SideRecordings.Source> traceFiles = new ArrayList<>();
    for (Path file : filesOf(paths)) {
      if (CompileLogReader.accepts(file)) {
        logs.add(CompileLogReader.read(file));
      } else if (traces.isEmpty() && (paths.contains(file) || isTrace(file))) {
        TraceIndex index = TraceIndex.of(TraceReaders.read(file), null);
        traces.add(index);
        traceFiles.add(SideRecordings.Source.trace(file, index.trace()));
      }
    }
    if (logs.isEmpty() && traces.isEmpty()) {
      throw PitwallException.unreadable(
          "there is neither a TORCH_TRACE log nor a trace in "
              + paths
              + "; run the program with TORCH_TRACE=FOLDER and give that folder.");
    }
    return new CompileRunReport(
        withGains(CaptureAnalysis.analyze(logs, traces), traces),
        predicted(traceFiles, traces),
        traceFiles);
  }

  private static Optional<PredictionSection> predicted(
      List<SideRecordings.Source> files, List<TraceIndex> traces) {
    if (traces.isEmpty()) {
      return Optional.empty();
    }
    WhatIf study = JobSample.of(Path.of(files.getFirst().path()), traces.getFirst()).study();
    return Optional.of(PredictionSection.of(traces.getFirst(), study))
        .filter(PredictionSection::applies);
  }

  /// The report's parts as a report builder takes them, with the files they come from.
  public SideRecordings recordings() {
    List<Section> sections = new ArrayList<>();
    prediction.ifPresent(one -> sections.add(one.section()));
    if (prediction.isEmpty() || !capture.logs().isEmpty()) {
      sections.add(CaptureSections.of(capture));
    }
    List<SideRecordings.Source> sources = new ArrayList<>();
    for (CaptureReport.LogSummary log : capture.logs()) {
      sources.add(
          SideRecordings.Source.compileLog(log.file(), log.rank(), log.events(), log.bytes()));
    }
    sources.addAll(traces);
    return new SideRecordings(sections, List.of(), List.of(), sources, List.of());
  }

  /// A `pitwall.report/1` document with the member `compile`, and `compile_prediction` where there
  /// is one.
  public String json() {
    return CaptureJson.of(capture, prediction);
  }

  /// The TORCH_TRACE logs among these files and in these folders.
  public static List<Path> logsIn(List<Path> paths) {
    return filesOf(paths).stream().filter(CompileLogReader::accepts).toList();
  }

  private static boolean isTrace(Path file) {
    return file.toString().matches(".*\\.json(\\.gz|\\.zst)?");
  }

  private static List<Path> filesOf(List<Path> paths) {
    List<Path> files = new ArrayList<>();
    for (Path path : paths) {
      if (!Files.exists(path)) {
        throw PitwallException.unreadable(path + " does not exist; check the path.");
      }
      if (!Files.isDirectory(path)) {
        files.add(path);
        continue;
      }
      try (Stream<Path> inside = Files.walk(path, 2)) {
        inside.filter(Files::isRegularFile).sorted().forEach(files::add);
      } catch (IOException failure) {
        throw PitwallException.unreadable(
            "cannot list " + path + " (" + failure.getMessage() + "); check its permissions.");
      }
    }
    return files;
  }

  /// The worst break carries what all breaks together cost a step; the rest of the order stays.
  private static CaptureReport withGains(CaptureReport report, List<TraceIndex> traces) {
    boolean breaks =
        report.findings().stream().anyMatch(finding -> finding.id().equals("graph-break"));
    if (!breaks || traces.isEmpty()) {
      return report;
    }
    TraceIndex index = traces.getFirst();
    Optional<Gain> gain = WhatIf.of(index).gainOf("graph-break");
    if (gain.isEmpty()) {
      return report;
    }
    List<Finding> findings = new ArrayList<>();
    boolean given = false;
    for (Finding finding : report.findings()) {
      boolean takes = !given && finding.id().equals("graph-break");
      findings.add(takes ? finding.withGain(gain.get()) : finding);
      given |= takes;
    }
    findings.sort(
        Comparator.comparing(Finding::severity)
            .thenComparing(finding -> -finding.gain().millis().value()));
    return report.withFindings(findings);
  }
}
