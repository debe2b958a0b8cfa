package dev.pitwall.pass.compile;

import dev.pitwall.graph.EdgeKind;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.GraphBuilder;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.graph.Resource;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.OptimizerPart;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Puts compiled regions in the place of the operators they stand for, in a graph being changed.
final class RegionRewrite {
  /// Start of a launch call to start of its kernel on an idle stream.
  private static final long LAUNCH_LAG_NANOS = 5_000;

  private static final long LAUNCH_NANOS = 5_000;
  private static final long KERNEL_GAP_NANOS = 1_500;
  private static final long GRAPH_KERNEL_GAP_NANOS = 600;

  private final TraceIndex index;
  private final Slices slices;
  private final ExecutionGraph graph;
  private final GraphBuilder edit;
  private final CompileMode mode;
  private final OptimizerPart optimizer;
  private final int[] nodeOfRow;
  private final Map<String, Long> callNanos;
  private final Map<Integer, Integer> resourceOfTrack = new HashMap<>();

  RegionRewrite(TraceIndex index, ExecutionGraph graph, CompileMode mode) {
    this.index = index;
    this.slices = index.trace().slices();
    this.graph = graph;
    this.edit = graph.edit();
    this.mode = mode;
    optimizer = OptimizerPart.of(index);
    nodeOfRow = new int[slices.size()];
    Arrays.fill(nodeOfRow, -1);
    for (int node = graph.nodes() - 1; node >= 0; node--) {
      if (graph.traceRow(node) >= 0) {
        nodeOfRow[graph.traceRow(node)] = node;
      }
    }
    callNanos = HostCalls.nanosByName(index, graph);
    List<Resource> resources = graph.resources();
    for (int id = 0; id < resources.size(); id++) {
      if (resources.get(id).track() >= 0) {
        resourceOfTrack.put(resources.get(id).track(), id);
      }
    }
  }

  void replace(CompiledStep step) {
    for (int at = 0; at < step.groupsOfRegion().size(); at++) {
      List<FusionGroup> groups = step.groupsOfRegion().get(at);
      TracedProgram.Region region = step.program().regions().get(at);
      if (!groups.isEmpty()) {
        replace(region, groups, regionNanos(region, parametersOf(region, step.program())));
      }
    }
  }

  GraphBuilder edit() {
    return edit;
  }

  ExecutionGraph build() {
    return edit.build();
  }

  /// Puts one region in place of its operators.
  ///
  /// @param regionNanos host time of the region outside of its graph
  void replace(TracedProgram.Region region, List<FusionGroup> groups, long regionNanos) {
    int[] host = hostSpan(region);
    int firstDevice = firstDeviceNode(groups);
    if (host.length == 0 || firstDevice < 0) {
      return;
    }
    for (int node : host) {
      if (node != host[0]) {
        edit.remove(node);
      }
    }
    int anchor = host[0];
    edit.setKind(anchor, NodeKind.CPU_SEGMENT);
    edit.setLabel(anchor, region.isBackward() ? "compiled backward" : "compiled region");
    edit.setDurationNanos(anchor, regionNanos);
    Cursor cursor = new Cursor(anchor, firstDevice);
    if (mode.usesCudaGraphs()) {
      replay(groups, cursor);
    } else {
      launchEach(groups, cursor);
    }
    for (FusionGroup group : groups) {
      if (!group.isExtern()) {
        for (TracedOperator member : group.members()) {
          for (int row : member.deviceRows()) {
            removeDevice(row);
          }
        }
      }
    }
  }

  /// Where the next host node and the next device node go.
  private static final class Cursor {
    int host;
    int device;
    boolean deviceIsBefore = true;

    Cursor(int host, int device) {
      this.host = host;
      this.device = device;
    }
  }

  private void launchEach(List<FusionGroup> groups, Cursor cursor) {
    long generatedNanos = hostNanos("triton_launch_host_us");
    for (FusionGroup group : groups) {
      if (group.isExtern()) {
        int launch = insertLaunch(cursor, externNanos(group), group.label());
        for (int node : deviceNodes(group)) {
          edit.removeIncoming(node, EdgeKind.LAUNCH);
          edit.edge(launch, node, EdgeKind.LAUNCH, LAUNCH_LAG_NANOS);
          passDevice(cursor, node);
        }
        continue;
      }
      double eachNanos = group.deviceNanos() / group.kernels();
      for (int kernel = 0; kernel < group.kernels(); kernel++) {
        int launch = insertLaunch(cursor, generatedNanos, group.label());
        int node = insertKernel(cursor, Math.round(eachNanos), group.label());
        edit.setOrderLagNanos(node, KERNEL_GAP_NANOS);
        edit.edge(launch, node, EdgeKind.LAUNCH, LAUNCH_LAG_NANOS);
      }
    }
  }

  /// Host time before the launch call itself.
  private static long hostNanos(String constant) {
    return Math.max(0, Math.round(CompileCosts.constant(constant) * 1e3) - LAUNCH_NANOS);
  }

  /// Host time of a library call before its launch: the generated wrapper calls the very operator
  /// that the eager program called, and has its own Python around it.
  private long externNanos(FusionGroup group) {
    long call =
        group.members().stream()
            .mapToLong(member -> callNanos.getOrDefault(member.name(), 0L))
            .sum();
    return Math.max(hostNanos("extern_launch_host_us"), call - LAUNCH_NANOS);
  }

  private void replay(List<FusionGroup> groups, Cursor cursor) {
    int kernels = groups.stream().mapToInt(FusionGroup::kernels).sum();
    double micros =
        CompileCosts.constant("graph_replay_host_us")
            + kernels * CompileCosts.constant("graph_replay_host_us_a_node");
    int launch =
        edit.insertAfter(cursor.host, NodeKind.LAUNCH, Math.round(micros * 1e3), "cudaGraphLaunch");
    cursor.host = launch;
    boolean first = true;
    Templates templates =
        mode == CompileMode.MAX_AUTOTUNE ? Templates.of(groups) : Templates.none();
    for (FusionGroup group : groups) {
      List<Integer> nodes = new ArrayList<>();
      if (group.isExtern()) {
        for (int node : deviceNodes(group)) {
          edit.removeIncoming(node, EdgeKind.LAUNCH);
          edit.scaleDuration(node, templates.factor(group));
          passDevice(cursor, node);
          nodes.add(node);
        }
      } else if (!templates.absorbs(group)) {
        double eachNanos = group.deviceNanos() / group.kernels();
        for (int kernel = 0; kernel < group.kernels(); kernel++) {
          nodes.add(insertKernel(cursor, Math.round(eachNanos), group.label()));
        }
      }
      for (int node : nodes) {
        if (first) {
          edit.edge(launch, node, EdgeKind.LAUNCH, Math.round(micros * 1e3));
          first = false;
        }
        edit.setOrderLagNanos(node, Math.min(edit.orderLagNanos(node), GRAPH_KERNEL_GAP_NANOS));
      }
    }
  }

  private int insertLaunch(Cursor cursor, long hostNanos, String label) {
    int segment = edit.insertAfter(cursor.host, NodeKind.CPU_SEGMENT, hostNanos, label);
    cursor.host = edit.insertAfter(segment, NodeKind.LAUNCH, LAUNCH_NANOS, label);
    return cursor.host;
  }

  private int insertKernel(Cursor cursor, long nanos, String label) {
    int node =
        cursor.deviceIsBefore
            ? edit.insertBefore(cursor.device, NodeKind.KERNEL, nanos, label)
            : edit.insertAfter(cursor.device, NodeKind.KERNEL, nanos, label);
    if (!cursor.deviceIsBefore) {
      cursor.device = node;
    }
    return node;
  }

  private void passDevice(Cursor cursor, int node) {
    if (graph.resource(node) == graph.resource(baseDevice(cursor))) {
      cursor.device = node;
      cursor.deviceIsBefore = false;
    }
  }

  private int baseDevice(Cursor cursor) {
    int at = cursor.device;
    while (at >= graph.nodes()) {
      at = edit.previousOnResource(at);
      if (at < 0) {
        return 0;
      }
    }
    return at;
  }

  /// The share of the parameters that a region takes as inputs, by its share of the operators.
  private static int parametersOf(TracedProgram.Region region, TracedProgram program) {
    int all = 0;
    for (TracedProgram.Region other : program.regions()) {
      all += other.isBackward() == region.isBackward() ? other.operators().size() : 0;
    }
    return all == 0 ? 0 : program.parameters() * region.operators().size() / all;
  }

  private long regionNanos(TracedProgram.Region region, int parameters) {
    double micros = CompileCosts.constant("region_host_us");
    if (!region.isBackward()) {
      micros += parameters * CompileCosts.constant("region_host_us_an_input");
    }
    return Math.round(micros * 1e3);
  }

  /// The host nodes of a region's thread from its first operator to its last, without the
  /// accumulation of gradients and without calls that stay (copies from the host).
  private int[] hostSpan(TracedProgram.Region region) {
    List<TracedOperator> operators = region.operators();
    int firstRow = operators.getFirst().row();
    long start = slices.startNanos(outermost(firstRow));
    long end = slices.endNanos(outermost(operators.getLast().row()));
    Integer resource = resourceOfTrack.get(slices.track(firstRow));
    if (resource == null) {
      return new int[0];
    }
    int first = Integer.MAX_VALUE;
    int last = -1;
    for (int node = 0; node < graph.nodes(); node++) {
      int row = graph.traceRow(node);
      if (graph.resource(node) == resource
          && row >= 0
          && slices.startNanos(row) >= start
          && slices.startNanos(row) < end) {
        first = Math.min(first, node);
        last = Math.max(last, node);
      }
    }
    List<Integer> span = new ArrayList<>();
    for (int node = first; node <= last; node++) {
      if (graph.resource(node) == resource && !edit.isRemoved(node) && !stays(node)) {
        span.add(node);
      }
    }
    return span.stream().mapToInt(Integer::intValue).toArray();
  }

  private boolean stays(int node) {
    int row = graph.traceRow(node);
    if (graph.kind(node) == NodeKind.HOST_WAIT) {
      return true;
    }
    if (graph.kind(node) == NodeKind.LAUNCH && row >= 0) {
      int device = index.launches().firstDeviceRow(row);
      if (device != Slices.NONE
          && slices.category(device) == Category.MEMCPY
          && !index.trace().name(device).contains("DtoD")) {
        return true;
      }
    }
    for (int at = row; at != Slices.NONE && at >= 0; at = index.calls().parent(at)) {
      if (index.trace().name(at).contains("AccumulateGrad")) {
        return true;
      }
    }
    return row >= 0 && optimizer.contains(row);
  }

  private int outermost(int row) {
    int found = index.calls().outermost(row, Category.CPU_OP);
    return found == Slices.NONE ? row : found;
  }

  private int firstDeviceNode(List<FusionGroup> groups) {
    int first = -1;
    long start = Long.MAX_VALUE;
    for (FusionGroup group : groups) {
      for (TracedOperator member : group.members()) {
        for (int row : member.deviceRows()) {
          int node = nodeOfRow[row];
          if (node >= 0 && !edit.isRemoved(node) && slices.startNanos(row) < start) {
            start = slices.startNanos(row);
            first = node;
          }
        }
      }
    }
    return first;
  }

  private List<Integer> deviceNodes(FusionGroup group) {
    List<Integer> nodes = new ArrayList<>();
    for (TracedOperator member : group.members()) {
      for (int row : member.deviceRows()) {
        if (nodeOfRow[row] >= 0 && !edit.isRemoved(nodeOfRow[row])) {
          nodes.add(nodeOfRow[row]);
        }
      }
    }
    return nodes;
  }

  private void removeDevice(int row) {
    int node = nodeOfRow[row];
    if (node >= 0) {
      edit.remove(node);
    }
  }
}
