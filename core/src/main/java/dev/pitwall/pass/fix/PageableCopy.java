package dev.pitwall.pass.fix;

import dev.pitwall.graph.EdgeKind;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.hardware.KernelCosts;
import dev.pitwall.pass.Pass;
import dev.pitwall.pass.PassContext;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.PageableCopies;
import java.util.Optional;

/// Copy batches from pinned memory with `non_blocking=True`: the link's full rate, and the host
/// does not wait.
///
/// ```
/// before  CPU  |copy, staging ... waits .......|launch|
///         GPU  |HtoD (Pageable -> Device) ....||kernel|
/// after   CPU  |copy|launch|
///         GPU       |HtoD (Pinned)||kernel|
/// ```
public final class PageableCopy implements Pass {
  /// What an asynchronous copy call costs the host.
  private static final long COPY_CALL_NANOS = 6_000;

  @Override
  public String id() {
    return "pageable-copy";
  }

  @Override
  public String summary() {
    return "copy batches from pinned memory with non_blocking=True";
  }

  @Override
  public Optional<String> obstacle(PassContext context, String argument) {
    return PageableCopies.findUploads(context.index()).length > 0
        ? Optional.empty()
        : Optional.of("no step copies from pageable host memory");
  }

  @Override
  public ExecutionGraph apply(PassContext context, ExecutionGraph graph, String argument) {
    GraphChange change = new GraphChange(graph);
    for (int copy : PageableCopies.findUploads(context.index())) {
      pin(context.index(), change, copy);
    }
    return change.build();
  }

  /// Makes one upload asynchronous and as fast as from pinned memory.
  static void pin(TraceIndex index, GraphChange change, int copyRow) {
    Slices slices = index.trace().slices();
    int node = change.nodeOf(copyRow);
    if (node < 0) {
      return;
    }
    long bytes = slices.deviceWork().bytes(slices.deviceWorkDetail(copyRow));
    if (bytes > 0) {
      long pinned = Math.round(KernelCosts.hostCopyNanos(bytes, true));
      change.edit().setDurationNanos(node, Math.min(slices.durationNanos(copyRow), pinned));
    }
    int call = index.launches().launchOf(copyRow);
    int launch = change.nodeOf(call);
    if (launch >= 0) {
      change
          .edit()
          .setDurationNanos(launch, Math.min(change.edit().durationNanos(launch), COPY_CALL_NANOS));
      change.edit().removeIncoming(launch, EdgeKind.HOST_SYNC);
      change.edit().setIncomingLagNanos(node, EdgeKind.LAUNCH, COPY_CALL_NANOS);
    }
    int operator = index.operatorOf(copyRow);
    int end = operator == Slices.NONE ? call : operator;
    for (int row = end;
        row >= 0
            && row < index.trace().endRow(slices.track(end))
            && slices.startNanos(row) < slices.endNanos(end);
        row++) {
      int wait = change.nodeOf(row);
      if (wait >= 0 && change.graph().kind(wait) == NodeKind.HOST_WAIT) {
        change.edit().remove(wait);
      }
    }
  }
}
