package dev.pitwall.pass.fix;

import dev.pitwall.error.PitwallException;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.TraceGraph;
import dev.pitwall.pass.Pass;
import dev.pitwall.pass.PassContext;
import dev.pitwall.pass.kernel.KernelWorks;
import dev.pitwall.pass.kernel.Resizing;
import dev.pitwall.pass.kernel.Work;
import dev.pitwall.pass.kernel.WorkloadAxes;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.InputWaits;
import java.util.Optional;

/// The same program with another batch (`batch=N`) or sequence length (`seq=N`).
///
/// ```
/// before  GPU  |gemm 16384 x 768|norm|optimizer|
/// after   GPU  |gemm 8192 x 768|norm|optimizer|        half the samples, the same parameters
/// ```
///
/// Every kernel is scaled by the cost model's time for its new dimensions over that for its
/// recorded ones; what follows no sample (parameters, optimizer) stays. The host does the same
/// work.
public final class WorkloadSize implements Pass {
  /// Which dimension of the data changes.
  enum Axis {
    BATCH("batch", "run with another batch size"),
    SEQUENCE("seq", "run with another sequence length");

    private final String id;
    private final String summary;

    Axis(String id, String summary) {
      this.id = id;
      this.summary = summary;
    }
  }

  private static final long LARGEST = 1L << 24;

  private final Axis axis;

  WorkloadSize(Axis axis) {
    this.axis = axis;
  }

  @Override
  public String id() {
    return axis.id;
  }

  @Override
  public String summary() {
    return axis.summary;
  }

  @Override
  public String argumentForm() {
    return "N";
  }

  @Override
  public Optional<String> obstacle(PassContext context, String argument) {
    Optional<WorkloadAxes> axes = WorkloadAxes.find(context.index(), context.works().inputs());
    if (axes.isEmpty()) {
      return Optional.of("the trace has no operator dimensions: record it with record_shapes=True");
    }
    if (axis == Axis.SEQUENCE && axes.get().sequence() == 0) {
      return Optional.of("the samples of this program are no sequences");
    }
    return Optional.empty();
  }

  @Override
  public double workRatio(PassContext context, String argument) {
    WorkloadAxes axes = WorkloadAxes.find(context.index(), context.works().inputs()).orElseThrow();
    long now = axis == Axis.BATCH ? axes.batch() : axes.sequence();
    return (double) parsed(argument) / now;
  }

  @Override
  public ExecutionGraph apply(PassContext context, ExecutionGraph graph, String argument) {
    WorkloadAxes axes = WorkloadAxes.find(context.index(), context.works().inputs()).orElseThrow();
    long size = parsed(argument);
    Resizing resizing = axis == Axis.BATCH ? axes.withBatch(size) : axes.withSequence(size);
    double samples = workRatio(context, argument);
    TraceIndex index = context.index();
    KernelWorks works = context.works();
    CallRegion input = CallRegion.of(index, InputWaits.find(index));
    GraphChange change = new GraphChange(graph);
    for (int node = 0; node < graph.nodes(); node++) {
      int row = graph.traceRow(node);
      boolean loader = graph.resources().get(graph.resource(node)).name().equals(TraceGraph.INPUT);
      if (loader || (input.contains(row) && !graph.kind(node).isDeviceWork())) {
        change.scale(node, samples);
      } else if (row >= 0 && graph.kind(node).isDeviceWork()) {
        change.scale(node, ratio(context, works, row, resizing, samples));
      }
    }
    return change.build();
  }

  private static double ratio(
      PassContext context, KernelWorks works, int row, Resizing resizing, double samples) {
    if (context.index().trace().slices().category(row) == Category.MEMCPY) {
      return context.index().trace().name(row).contains("HtoD") ? samples : 1;
    }
    Work before = works.of(row);
    Work after = works.of(row, works.precisionOf(row), resizing);
    return works.ratio(before, after, context.costs());
  }

  private long parsed(String argument) {
    try {
      long size = Long.parseLong(argument);
      if (size >= 1 && size <= LARGEST) {
        return size;
      }
    } catch (NumberFormatException notANumber) {
      // Said below, for both reasons.
    }
    throw PitwallException.usage(
        axis.id + "=N needs a whole number from 1 to " + LARGEST + ", got '" + argument + "'");
  }
}
