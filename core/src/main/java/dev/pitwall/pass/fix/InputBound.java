package dev.pitwall.pass.fix;

import dev.pitwall.graph.EdgeKind;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.GraphBuilder;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.graph.Resource;
import dev.pitwall.graph.TraceGraph;
import dev.pitwall.hardware.KernelCosts;
import dev.pitwall.pass.Pass;
import dev.pitwall.pass.PassContext;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.InputWaits;
import java.util.Optional;

/// An input pipeline that always has the next batch ready on the device: enough workers, pinned
/// memory, and the copy of the next batch on a stream of its own.
///
/// ```
/// before  CPU  |next(loader) ... waits ...|copy|launch|launch|
///         GPU  |          idle            |HtoD ||kernel|kernel|
/// after   CPU  |launch|launch|
///         GPU  |kernel|kernel|
///         copy |HtoD of the next batch|
/// ```
public final class InputBound implements Pass {
  /// Shorter copies are arguments and flags, not batches.
  private static final long SMALLEST_BATCH_BYTES = 64 << 10;

  private static final long COPY_CALL_NANOS = 6_000;

  @Override
  public String id() {
    return "input-bound";
  }

  @Override
  public String summary() {
    return "have the next batch ready: enough DataLoader workers, pinned memory, prefetch to the"
        + " GPU";
  }

  @Override
  public Optional<String> obstacle(PassContext context, String argument) {
    return InputWaits.find(context.index()).length > 0
        ? Optional.empty()
        : Optional.of("the trace shows no DataLoader");
  }

  @Override
  public ExecutionGraph apply(PassContext context, ExecutionGraph graph, String argument) {
    TraceIndex index = context.index();
    CallRegion waits = CallRegion.of(index, InputWaits.find(index));
    GraphChange change = new GraphChange(graph);
    GraphBuilder edit = change.edit();
    int prefetch = -1;
    for (int node = 0; node < graph.nodes(); node++) {
      boolean input = graph.resources().get(graph.resource(node)).name().equals(TraceGraph.INPUT);
      if (input || waits.contains(graph.traceRow(node))) {
        edit.removeIncoming(node, EdgeKind.HAND_OVER);
        edit.remove(node);
      } else if (isBatchUpload(index, graph.traceRow(node))) {
        if (prefetch < 0) {
          int device = graph.resources().get(graph.resource(node)).device();
          prefetch = edit.resource(Resource.stream("prefetch stream", device));
        }
        moveToPrefetch(index, change, node, prefetch);
      }
    }
    return change.build();
  }

  private static boolean isBatchUpload(TraceIndex index, int row) {
    Slices slices = index.trace().slices();
    return row >= 0
        && slices.category(row) == Category.MEMCPY
        && index.trace().name(row).contains("HtoD")
        && slices.deviceWork().bytes(slices.deviceWorkDetail(row)) >= SMALLEST_BATCH_BYTES;
  }

  private static void moveToPrefetch(
      TraceIndex index, GraphChange change, int node, int prefetchStream) {
    Slices slices = index.trace().slices();
    int row = change.graph().traceRow(node);
    PageableCopy.pin(index, change, row);
    GraphBuilder edit = change.edit();
    long bytes = slices.deviceWork().bytes(slices.deviceWorkDetail(row));
    int moved =
        edit.add(
            NodeKind.MEMCPY,
            prefetchStream,
            Math.round(KernelCosts.hostCopyNanos(bytes, true)),
            change.graph().labelId(node),
            -1,
            change.graph().step(node),
            Category.MEMCPY);
    int launch = change.graph().launchOf(node);
    if (launch >= 0 && !edit.isRemoved(launch)) {
      edit.edge(launch, moved, EdgeKind.LAUNCH, COPY_CALL_NANOS);
    }
    edit.remove(node);
  }
}
