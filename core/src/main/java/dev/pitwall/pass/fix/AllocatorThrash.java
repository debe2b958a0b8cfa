package dev.pitwall.pass.fix;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.pass.Pass;
import dev.pitwall.pass.PassContext;
import dev.pitwall.trace.pattern.AllocatorCalls;
import java.util.Optional;

/// Keep memory in the caching allocator: no `cudaMalloc` and `cudaFree` inside a step.
///
/// ```
/// before  CPU  |launch|cudaFree ... waits for the device ...|cudaMalloc|launch|
///         GPU  |kernel        |            idle                         |kernel|
/// after   CPU  |launch|launch|
///         GPU  |kernel        |kernel|
/// ```
public final class AllocatorThrash implements Pass {
  @Override
  public String id() {
    return "allocator-thrash";
  }

  @Override
  public String summary() {
    return "keep memory in PyTorch's allocator instead of returning it to the driver every step";
  }

  @Override
  public Optional<String> obstacle(PassContext context, String argument) {
    return AllocatorCalls.find(context.index()).length > 0
        ? Optional.empty()
        : Optional.of("no step allocates or frees device memory through the driver");
  }

  @Override
  public ExecutionGraph apply(PassContext context, ExecutionGraph graph, String argument) {
    CallRegion calls = CallRegion.of(context.index(), AllocatorCalls.find(context.index()));
    GraphChange change = new GraphChange(graph);
    change.removeRows(calls::contains);
    return change.build();
  }
}
