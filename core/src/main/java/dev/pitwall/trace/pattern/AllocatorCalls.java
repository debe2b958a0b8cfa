package dev.pitwall.trace.pattern;

import dev.pitwall.trace.TraceIndex;
import java.util.EnumSet;

/// Calls inside a step that take device memory from the driver or give it back, past the caching
/// allocator: `cudaMalloc`, `cudaFree` and the mapping calls of expandable segments.
public final class AllocatorCalls {
  private AllocatorCalls() {}

  /// Rows of the calls, by track and start.
  public static int[] find(TraceIndex index) {
    return ApiCalls.insideSteps(index, EnumSet.of(ApiCallKind.ALLOCATE, ApiCallKind.FREE));
  }
}
