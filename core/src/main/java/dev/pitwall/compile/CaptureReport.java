package dev.pitwall.compile;

import dev.pitwall.finding.Finding;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What `torch.compile` did to a program, from its log, a trace, or both.
///
/// @param logs one line a log, with what was damaged in it
/// @param externCalls calls into libraries of one run of every graph, by name
/// @param fallbacks those of them that Inductor could not generate, by name
/// @param cudaGraphSkips reasons, with their count
/// @param cacheLookups `fx_graph_cache miss` and the like, with their count
/// @param phases the compiler's own time by phase, longest first, seconds without what is inside
/// @param timeline when the compiler worked, and at what
/// @param guardMicros guards of all installed frames, evaluated once each, as the compiler measured
/// @param divergences where ranks differ, in sentences
/// @param run null without a trace
public record CaptureReport(
    List<LogSummary> logs,
    List<FrameSummary> frames,
    List<BreakSite> breaks,
    List<RecompileCause> recompiles,
    Map<String, Integer> externCalls,
    Map<String, Integer> fallbacks,
    Map<String, Integer> cudaGraphSkips,
    Map<String, Integer> cacheLookups,
    List<Phase> phases,
    CompileTimeline timeline,
    double guardMicros,
    MemoryPlan memory,
    List<String> divergences,
    @Nullable CompiledRun run,
    List<Finding> findings) {
  public CaptureReport {
    logs = List.copyOf(logs);
    frames = List.copyOf(frames);
    breaks = List.copyOf(breaks);
    recompiles = List.copyOf(recompiles);
    phases = List.copyOf(phases);
    divergences = List.copyOf(divergences);
    findings = List.copyOf(findings);
  }

  /// One log in short.
  public record LogSummary(
      String file,
      int rank,
      String torchVersion,
      int events,
      long bytes,
      int compiledFrames,
      int failures,
      int graphBreaks,
      int recompiles,
      double compileSeconds,
      List<String> losses) {}

  /// Time of one phase of the compiler.
  public record Phase(String name, double seconds, int count) {}

  /// Memory of the largest training frame.
  ///
  /// @param savedBytes what the forward keeps for the backward
  /// @param recomputed operators that the backward computes again, by name with their count
  /// @param reusedBuffers buffers that took over an earlier one's memory
  public record MemoryPlan(
      String function,
      int savedTensors,
      long savedBytes,
      Map<String, Integer> recomputed,
      int buffers,
      long bufferBytes,
      int reusedBuffers,
      long reusedBytes) {
    static final MemoryPlan NONE = new MemoryPlan("", 0, 0, Map.of(), 0, 0, 0, 0);
  }

  /// The same report with other findings, worst first.
  public CaptureReport withFindings(List<Finding> others) {
    return new CaptureReport(
        logs,
        frames,
        breaks,
        recompiles,
        externCalls,
        fallbacks,
        cudaGraphSkips,
        cacheLookups,
        phases,
        timeline,
        guardMicros,
        memory,
        divergences,
        run,
        others);
  }
}
