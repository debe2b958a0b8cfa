package dev.pitwall.pass.fix;

import dev.pitwall.graph.EdgeKind;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.GraphBuilder;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.hardware.KernelCosts;
import dev.pitwall.pass.Pass;
import dev.pitwall.pass.PassContext;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.HostSyncs;
import dev.pitwall.trace.pattern.InputWaits;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// Record forward and backward once as a CUDA graph and launch them with one call
/// (`torch.cuda.make_graphed_callables`, or `torch.compile` with `mode="reduce-overhead"`).
///
/// ```
/// before  CPU  |op launch|op launch|op launch|op launch|optimizer ....|
///         GPU     |k|       |k|       |k|       |k|        |optimizer|
/// after   CPU  |graph launch|optimizer ....|
///         GPU     |k|k|k|k|     |optimizer|
/// ```
///
/// The optimizer, handing gradients to their parameters, and fetching the input stay as they are.
public final class LaunchBound implements Pass {
  private static final String ACCUMULATE_GRADIENT =
      "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad";

  @Override
  public String id() {
    return "launch-bound";
  }

  @Override
  public List<String> otherIds() {
    return List.of("cudagraph-skipped");
  }

  @Override
  public String summary() {
    return "capture forward and backward in a CUDA graph: one launch instead of hundreds";
  }

  @Override
  public Optional<String> obstacle(PassContext context, String argument) {
    TraceIndex index = context.index();
    if (index.launches().deviceRows() == 0) {
      return Optional.of("the trace has no device work");
    }
    if (!context.has("host-sync") && HostSyncs.find(index).length > 0) {
      return Optional.of("a CUDA graph cannot contain a wait of the host: apply host-sync first");
    }
    for (int row : index.trace().slices().apiCallRows()) {
      if (index.stepOf(row) >= 0 && index.trace().name(row).contains("GraphLaunch")) {
        return Optional.of("the step is launched as a CUDA graph already");
      }
    }
    return Optional.empty();
  }

  @Override
  public ExecutionGraph apply(PassContext context, ExecutionGraph graph, String argument) {
    TraceIndex index = context.index();
    CallRegion outside =
        CallRegion.of(
            index,
            row -> {
              String name = index.trace().name(row);
              return name.startsWith("Optimizer.") || name.equals(ACCUMULATE_GRADIENT);
            });
    CallRegion input = CallRegion.of(index, InputWaits.find(index));
    GraphChange change = new GraphChange(graph);
    GraphBuilder edit = change.edit();
    int[] graphLaunch = new int[graph.steps()];
    int[] lastLaunch = new int[graph.steps()];
    Arrays.fill(graphLaunch, -1);
    Arrays.fill(lastLaunch, -1);
    for (int node = 0; node < graph.nodes(); node++) {
      int row = graph.traceRow(node);
      if (graph.kind(node) == NodeKind.LAUNCH
          && row >= 0
          && !outside.contains(row)
          && !input.contains(row)) {
        lastLaunch[graph.step(node)] = node;
        if (graphLaunch[graph.step(node)] < 0) {
          graphLaunch[graph.step(node)] = node;
        }
      }
    }
    boolean[][] launched = new boolean[graph.steps()][graph.resources().size()];
    for (int node = 0; node < graph.nodes(); node++) {
      int step = graph.step(node);
      int row = graph.traceRow(node);
      if (graphLaunch[step] < 0) {
        continue;
      }
      if (graph.kind(node).isDeviceWork()) {
        int call = row < 0 ? Slices.NONE : index.launches().launchOf(row);
        if (!outside.contains(call) && !input.contains(call)) {
          gatherKernel(change, node, graphLaunch[step], launched[step]);
        }
      } else if (node == graphLaunch[step]) {
        edit.setDurationNanos(node, Math.round(KernelCosts.constant("graph_launch_us") * 1e3));
        edit.setLabel(node, "cudaGraphLaunch");
      } else if (node > graphLaunch[step]
          && node < lastLaunch[step]
          && !outside.contains(row)
          && !input.contains(row)) {
        edit.remove(node);
      }
    }
    return change.build();
  }

  private static void gatherKernel(
      GraphChange change, int node, int graphLaunch, boolean[] launched) {
    GraphBuilder edit = change.edit();
    int stream = change.graph().resource(node);
    edit.removeIncoming(node, EdgeKind.LAUNCH);
    if (!launched[stream]) {
      launched[stream] = true;
      edit.edge(
          graphLaunch,
          node,
          EdgeKind.LAUNCH,
          Math.round(KernelCosts.constant("graph_launch_us") * 1e3));
    } else {
      long gap = Math.round(KernelCosts.constant("graph_kernel_gap_us") * 1e3);
      edit.setOrderLagNanos(node, Math.min(edit.orderLagNanos(node), gap));
    }
  }
}
