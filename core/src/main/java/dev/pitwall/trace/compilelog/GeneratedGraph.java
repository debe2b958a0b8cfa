package dev.pitwall.trace.compilelog;

import java.util.List;
import java.util.Map;

/// The program that the compiler wrote for one graph (`inductor_output_code`).
///
/// @param role which graph it stands for
/// @param file where the compiler put it on disk, or empty
/// @param cacheKey key of the graph in `fx_graph_cache`, or empty where none was logged
/// @param kernels the generated kernels
/// @param externCalls calls into libraries, by name (`extern_kernels.mm`), with their count
/// @param buffers the buffers it allocates while it runs
public record GeneratedGraph(
    Role role,
    String file,
    String cacheKey,
    List<GeneratedKernel> kernels,
    Map<String, Integer> externCalls,
    BufferPlan buffers) {
  /// Which graph was compiled.
  public enum Role {
    INFERENCE,
    FORWARD,
    BACKWARD
  }

  /// Buffers of one graph's program. Sizes are known where shapes are.
  ///
  /// @param allocations buffers allocated anew
  /// @param allocatedBytes their bytes, of those with known size
  /// @param reuses buffers that took over an earlier one's memory
  /// @param reusedBytes their bytes, of those with known size
  public record BufferPlan(int allocations, long allocatedBytes, int reuses, long reusedBytes) {}

  public GeneratedGraph {
    kernels = List.copyOf(kernels);
    externCalls = java.util.Collections.unmodifiableMap(new java.util.LinkedHashMap<>(externCalls));
  }

  /// Launches of generated kernels in one run of the graph.
  public int generatedCalls() {
    return kernels.stream().mapToInt(GeneratedKernel::calls).sum();
  }

  /// Calls into libraries in one run of the graph.
  public int externCallCount() {
    return externCalls.values().stream().mapToInt(Integer::intValue).sum();
  }

  GeneratedGraph withCacheKey(String key) {
    return new GeneratedGraph(role, file, key, kernels, externCalls, buffers);
  }

  GeneratedGraph withKernels(List<GeneratedKernel> others) {
    return new GeneratedGraph(role, file, cacheKey, others, externCalls, buffers);
  }
}
