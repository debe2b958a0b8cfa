package dev.pitwall.trace.compilelog;

import java.util.List;

/// What `compilation_metrics` says of one compilation; -1 or an empty text where the version does
/// not say.
///
/// @param failType exception class of a failed compilation, or empty
/// @param hasGuardedCode whether compiled code was installed
/// @param durationMicros whole time of this compilation, backward not included
/// @param guardLatencyMicros one evaluation of the guards, as the compiler measured it
public record CompileMetrics(
    String failType,
    String failReason,
    String failFile,
    int failLine,
    boolean hasGuardedCode,
    int graphOperators,
    int graphNodes,
    int graphInputs,
    int guards,
    double durationMicros,
    double backwardMicros,
    double runtimeMicros,
    double guardLatencyMicros,
    long startMicros,
    String cudaGraphSkipReason,
    List<String> restartReasons,
    List<String> nonCompliantOperators) {
  public CompileMetrics {
    restartReasons = List.copyOf(restartReasons);
    nonCompliantOperators = List.copyOf(nonCompliantOperators);
  }

  public boolean failed() {
    return !failType.isEmpty();
  }
}
