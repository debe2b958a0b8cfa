package dev.pitwall.pass.fix;

import dev.pitwall.graph.EdgeKind;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.GraphBuilder;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.hardware.KernelCosts;
import dev.pitwall.pass.Pass;
import dev.pitwall.pass.PassContext;
import dev.pitwall.trace.TraceIndex;
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
  /// Where waits leave less of the launches than this to a graph, they have to go first.
  private static final double LEAST_COVERED = 0.8;

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
    if (context.has("compile")) {
      return Optional.of(
          "the mode of torch.compile decides whether a CUDA graph launches the step");
    }
    if (GraphedStretches.of(index, context.has("host-sync")).coveredShare() < LEAST_COVERED) {
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
    GraphedStretches stretches = GraphedStretches.of(index, context.has("host-sync"));
    GraphChange change = new GraphChange(graph);
    GraphBuilder edit = change.edit();
    int[] graphLaunch = new int[stretches.count()];
    int[] lastLaunch = new int[stretches.count()];
    Arrays.fill(graphLaunch, -1);
    Arrays.fill(lastLaunch, -1);
    for (int node = 0; node < graph.nodes(); node++) {
      int stretch = graph.kind(node) == NodeKind.LAUNCH ? stretches.of(graph.traceRow(node)) : -1;
      if (stretch >= 0) {
        lastLaunch[stretch] = node;
        graphLaunch[stretch] = graphLaunch[stretch] < 0 ? node : graphLaunch[stretch];
      }
    }
    boolean[][] launched = new boolean[stretches.count()][graph.resources().size()];
    int current = -1;
    for (int node = 0; node < graph.nodes(); node++) {
      int row = graph.traceRow(node);
      if (graph.kind(node).isDeviceWork()) {
        int stretch = row < 0 ? -1 : stretches.of(index.launches().launchOf(row));
        if (stretch >= 0 && graphLaunch[stretch] >= 0) {
          gatherKernel(change, node, graphLaunch[stretch], launched[stretch]);
        }
        continue;
      }
      int stretch = graph.kind(node) == NodeKind.LAUNCH ? stretches.of(row) : -1;
      current = stretch >= 0 ? stretch : current;
      if (current < 0) {
        continue;
      }
      if (node == graphLaunch[current]) {
        edit.setDurationNanos(node, Math.round(KernelCosts.constant("graph_launch_us") * 1e3));
        edit.setLabel(node, "cudaGraphLaunch");
      } else if (node < lastLaunch[current] && (row < 0 || stretches.isInGraph(row))) {
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
