package dev.pitwall.pass.compile;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.GraphBuilder;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.pass.Pass;
import dev.pitwall.pass.PassContext;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Remove the graph breaks of a compiled program, so that its step is one region.
///
/// ```
/// before  CPU  |eager|lookup|region|wait|lookup|region| eager |
/// after   CPU  |lookup|one region ....................|
/// ```
///
/// The waits between the regions go, the guards and wrappers of all regions but the first go, and
/// what ran eagerly between and around them is fused as it would have been inside.
public final class GraphBreakPass implements Pass {
  private static final String REGION = "Torch-Compiled Region";
  private static final String GRAPH = "## Call CompiledFxGraph";
  private static final String BACKWARD = "CompiledFunctionBackward";

  @Override
  public String id() {
    return "graph-break";
  }

  @Override
  public String summary() {
    return "remove the graph breaks of a compiled model, so that the step is one region";
  }

  @Override
  public Optional<String> obstacle(PassContext context, String argument) {
    TraceIndex index = context.index();
    int steps = Math.max(1, index.steps().count());
    int regions = rowsNamed(index, REGION).size();
    if (regions == 0) {
      return Optional.of("the trace has no compiled region");
    }
    if (regions <= steps) {
      return Optional.of("each step runs one compiled region: there is no break to remove");
    }
    return Optional.empty();
  }

  @Override
  public ExecutionGraph apply(PassContext context, ExecutionGraph graph, String argument) {
    TraceIndex index = context.index();
    CompileCosts costs = new CompileCosts(context.costs().gpu());
    RegionRewrite rewrite = new RegionRewrite(index, graph, CompileMode.DEFAULT);
    for (TracedProgram program : new ProgramReader(index).read()) {
      for (TracedProgram.Region run : eagerRuns(index, program)) {
        rewrite.replace(run, FusionPlanner.plan(run, costs), 0);
      }
    }
    removeWaitsAndWrappers(index, graph, rewrite.edit());
    return rewrite.build();
  }

  /// The operators outside of compiled regions, cut wherever a region lies between two of them.
  private static List<TracedProgram.Region> eagerRuns(TraceIndex index, TracedProgram program) {
    Slices slices = index.trace().slices();
    List<Integer> regions = rowsNamed(index, REGION);
    regions.addAll(rowsNamed(index, BACKWARD));
    Map<String, List<TracedOperator>> runs = new LinkedHashMap<>();
    for (TracedProgram.Region region : program.regions()) {
      for (TracedOperator operator : region.operators()) {
        if (operator.kind() == OperatorKind.SYNC) {
          continue;
        }
        long start = slices.startNanos(operator.row());
        long before = regions.stream().filter(row -> slices.endNanos(row) <= start).count();
        runs.computeIfAbsent(operator.isBackward() + " " + before, unseen -> new ArrayList<>())
            .add(operator);
      }
    }
    return runs.values().stream()
        .map(run -> new TracedProgram.Region(run.getFirst().isBackward(), true, run))
        .toList();
  }

  private static void removeWaitsAndWrappers(
      TraceIndex index, ExecutionGraph graph, GraphBuilder edit) {
    Slices slices = index.trace().slices();
    Map<Integer, Integer> firstRegion = new HashMap<>();
    Map<Integer, Integer> lastRegion = new HashMap<>();
    for (int region : rowsNamed(index, REGION)) {
      firstRegion.putIfAbsent(index.stepOf(region), region);
      lastRegion.put(index.stepOf(region), region);
    }
    for (int node = 0; node < graph.nodes(); node++) {
      int row = graph.traceRow(node);
      if (row < 0 || edit.isRemoved(node)) {
        continue;
      }
      if (graph.kind(node).isDeviceWork()) {
        int call = index.launches().launchOf(row);
        if (call != Slices.NONE && isUnder(index, call, "aten::_local_scalar_dense")) {
          edit.remove(node);
        }
        continue;
      }
      if (isUnder(index, row, "aten::_local_scalar_dense") || isUnder(index, row, "aten::item")) {
        edit.remove(node);
        continue;
      }
      int step = index.stepOf(row);
      if (graph.kind(node) != NodeKind.CPU_SEGMENT || !firstRegion.containsKey(step)) {
        continue;
      }
      int region = regionOf(index, row);
      int first = firstRegion.getOrDefault(step, Slices.NONE);
      int last = lastRegion.getOrDefault(step, Slices.NONE);
      boolean isBetween =
          slices.track(row) == slices.track(first)
              && region == Slices.NONE
              && slices.startNanos(row) >= slices.endNanos(first)
              && slices.startNanos(row) < slices.startNanos(last);
      boolean isWrapper = region != Slices.NONE && region != first && !isUnder(index, row, GRAPH);
      if (isBetween || isWrapper) {
        edit.setDurationNanos(node, 0);
      }
    }
  }

  /// The compiled region, forward or backward, around a row.
  private static int regionOf(TraceIndex index, int row) {
    for (int at = row; at != Slices.NONE; at = index.calls().parent(at)) {
      String name = index.trace().name(at);
      if (name.startsWith(REGION) || name.equals(BACKWARD)) {
        return at;
      }
    }
    return Slices.NONE;
  }

  private static boolean isUnder(TraceIndex index, int row, String name) {
    for (int at = row; at != Slices.NONE; at = index.calls().parent(at)) {
      if (index.trace().name(at).startsWith(name)) {
        return true;
      }
    }
    return false;
  }

  private static List<Integer> rowsNamed(TraceIndex index, String prefix) {
    Trace trace = index.trace();
    List<Integer> rows = new ArrayList<>();
    for (int row : trace.slices().rows(Category.CPU_OP)) {
      if (trace.name(row).startsWith(prefix) && index.stepOf(row) >= 0) {
        rows.add(row);
      }
    }
    return rows;
  }
}
