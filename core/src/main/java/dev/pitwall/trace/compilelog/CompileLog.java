package dev.pitwall.trace.compilelog;

import dev.pitwall.trace.LossLedger;
import java.util.List;
import java.util.Map;

/// One file of the structured log, read.
///
/// @param file file name as given
/// @param rank rank of the process, -1 where neither the log nor the file name says
/// @param torchVersion exact, or a range such as `2.4-2.6` that the fields of the log allow
/// @param bytes size after decompression
/// @param events events read
/// @param compilations in order of start
/// @param phases the compiler's own spans, in order of start
/// @param eventCounts events by kind; an artifact counts as `artifact NAME`
/// @param losses what was damaged, unknown or cut
public record CompileLog(
    String file,
    int rank,
    String torchVersion,
    long bytes,
    int events,
    List<Compilation> compilations,
    List<CompilePhase> phases,
    Map<String, Integer> eventCounts,
    LossLedger losses) {
  public CompileLog {
    compilations = List.copyOf(compilations);
    phases = List.copyOf(phases);
    eventCounts = java.util.Collections.unmodifiableMap(new java.util.TreeMap<>(eventCounts));
  }

  /// Reasons for graph breaks that were logged.
  public int graphBreaks() {
    return compilations.stream().mapToInt(one -> one.graphBreaks().size()).sum();
  }

  public int recompiles() {
    return (int) compilations.stream().filter(Compilation::isRecompile).count();
  }

  public int compiledFrames() {
    return (int) compilations.stream().filter(Compilation::isCompiled).count();
  }

  public int failures() {
    return (int) compilations.stream().filter(Compilation::failed).count();
  }
}
