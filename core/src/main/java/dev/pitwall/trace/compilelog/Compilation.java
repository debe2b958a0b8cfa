package dev.pitwall.trace.compilelog;

import java.util.List;
import java.util.Optional;

/// One compilation of one frame: from `dynamo_start` to its metrics, with what came later for it
/// (backward, autotuning).
///
/// @param id frame and recompile number; unique only together with `startOrder`, as a reset of the
///     compiler counts from 0 again
/// @param startOrder position among the compilations of the log, from 0
/// @param function name of the code object, such as `forward` or `torch_dynamo_resume_in_f_at_12`
/// @param stack the user's frames, outermost first, without PyTorch's own; the last is the compiled
///     function
/// @param attempts restarts plus one
/// @param guardFailures what did not hold; empty for a first compilation
/// @param metrics absent where the log ends before they were written
/// @param partition absent for inference and where the log does not have both graphs
public record Compilation(
    CompileId id,
    int startOrder,
    int process,
    String function,
    String file,
    int firstLine,
    List<SourceLine> stack,
    int attempts,
    List<GraphBreak> graphBreaks,
    List<GuardFailure> guardFailures,
    boolean isRecompile,
    List<GeneratedGraph> graphs,
    List<CacheLookup> cacheLookups,
    Optional<CompileMetrics> metrics,
    Optional<Partition> partition) {
  public Compilation {
    stack = List.copyOf(stack);
    graphBreaks = List.copyOf(graphBreaks);
    guardFailures = List.copyOf(guardFailures);
    graphs = List.copyOf(graphs);
    cacheLookups = List.copyOf(cacheLookups);
  }

  /// Whether compiled code with at least one operator came out of it.
  public boolean isCompiled() {
    return metrics.isPresent()
        && !metrics.get().failed()
        && (metrics.get().graphOperators() != 0 || !graphs.isEmpty());
  }

  public boolean failed() {
    return metrics.isPresent() && metrics.get().failed();
  }

  /// Whether the frame is what was left of another one after a graph break.
  public boolean isResumption() {
    return function.startsWith("torch_dynamo_resume_in_");
  }

  /// Time of this compilation and of its backward, in microseconds; 0 where not known.
  public double compileMicros() {
    return metrics
        .map(m -> Math.max(0, m.durationMicros()) + Math.max(0, m.backwardMicros()))
        .orElse(0.0);
  }
}
