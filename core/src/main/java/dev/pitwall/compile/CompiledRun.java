package dev.pitwall.compile;

import java.util.List;

/// What a trace says of compiled code while it runs; times are of one step.
///
/// @param regionsPerStep calls of compiled frames
/// @param lookupMicros guards evaluated
/// @param lookupsPerStep how often
/// @param wrapperMicros host time of regions outside of their graphs
/// @param betweenMicros host time between the first and the last region of a step that no region
///     covers
/// @param graphReplays CUDA graph launches
/// @param kernelsPerReplay device work of one replay
/// @param recordings CUDA graphs recorded inside the window
/// @param compiledInWindow whether the compiler ran inside the window
public record CompiledRun(
    double regionsPerStep,
    double lookupMicros,
    double lookupsPerStep,
    double wrapperMicros,
    double betweenMicros,
    double graphReplays,
    double kernelsPerReplay,
    int recordings,
    boolean compiledInWindow,
    List<GraphUse> graphs,
    List<KernelUse> kernels) {
  public CompiledRun {
    graphs = List.copyOf(graphs);
    kernels = List.copyOf(kernels);
  }
}
