package dev.pitwall.pass.fix;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.pass.Pass;
import dev.pitwall.pass.PassContext;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.HostSyncs;
import java.util.Optional;

/// Do not make the host wait for the device inside a step.
///
/// ```
/// before  CPU  |launch|.item() ... waits ...|launch|
///         GPU  |kernel        |copy|  idle  |kernel|
/// after   CPU  |launch|launch|
///         GPU  |kernel        |kernel|
/// ```
///
/// Where an operator exists only to bring a value to the host (`aten::item`), it goes with its
/// copy; elsewhere (`nonzero`, `torch.cuda.synchronize`) only the waiting call does.
public final class HostSync implements Pass {
  @Override
  public String id() {
    return "host-sync";
  }

  @Override
  public String summary() {
    return "remove the calls in which the host waits for the device (.item(), .cpu(), prints)";
  }

  @Override
  public Optional<String> obstacle(PassContext context, String argument) {
    return HostSyncs.find(context.index()).length > 0
        ? Optional.empty()
        : Optional.of("the host waits for the device in no step");
  }

  @Override
  public ExecutionGraph apply(PassContext context, ExecutionGraph graph, String argument) {
    TraceIndex index = context.index();
    int[] roots = HostSyncs.find(index);
    for (int i = 0; i < roots.length; i++) {
      roots[i] = valueOperatorAround(index, roots[i]);
    }
    CallRegion gone = CallRegion.of(index, roots);
    GraphChange change = new GraphChange(graph);
    change.removeRows(gone::contains);
    return change.build();
  }

  /// The outermost operator around a wait that only fetches a value, or the wait itself.
  private static int valueOperatorAround(TraceIndex index, int wait) {
    Trace trace = index.trace();
    int found = wait;
    for (int at = wait; at != Slices.NONE; at = index.calls().parent(at)) {
      if (trace.slices().category(at) != Category.CPU_OP) {
        continue;
      }
      String name = trace.name(at);
      if (name.equals("aten::item")
          || name.equals("aten::_local_scalar_dense")
          || name.equals("aten::is_nonzero")) {
        found = at;
      }
    }
    return found;
  }
}
