package dev.pitwall.pass.fix;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.hardware.KernelCosts;
import dev.pitwall.pass.Pass;
import dev.pitwall.pass.PassContext;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.pattern.KernelClass;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Merge small collectives into larger ones: bigger DDP buckets, fewer FSDP units.
///
/// ```
/// before  comm  |start bytes|start bytes|start bytes|start bytes|
/// after   comm  |start bytes bytes bytes bytes|
/// ```
///
/// Of up to sixteen neighbours of one kind on a stream the last stays, with the bytes of all; the
/// others go with their start-up and their launch.
public final class SmallCollectives implements Pass {
  private static final int MOST_MERGED = 16;

  /// A collective is small while its start-up is at least a third of it.
  private static final double START_UPS = 3;

  @Override
  public String id() {
    return "small-collectives";
  }

  @Override
  public String summary() {
    return "merge small collectives: larger DDP buckets (bucket_cap_mb) or fewer FSDP units";
  }

  @Override
  public Optional<String> obstacle(PassContext context, String argument) {
    if (!Collectives.present(context)) {
      return Optional.of("the trace has no communication kernels");
    }
    return smallCollectives(context) > 1
        ? Optional.empty()
        : Optional.of("no collectives are so short that their start-up counts");
  }

  private static int smallCollectives(PassContext context) {
    Slices slices = context.index().trace().slices();
    double startUp = KernelCosts.constant("collective_start_us") * 1e3;
    int small = 0;
    for (int row : slices.rows(Category.KERNEL)) {
      if (context.works().classOf(row) == KernelClass.COMMUNICATION
          && slices.durationNanos(row) <= START_UPS * startUp) {
        small++;
      }
    }
    return small;
  }

  @Override
  public ExecutionGraph apply(PassContext context, ExecutionGraph graph, String argument) {
    GraphChange change = new GraphChange(graph);
    double startUp = KernelCosts.constant("collective_start_us") * 1e3;
    for (int resource = 0; resource < graph.resources().size(); resource++) {
      List<Integer> run = new ArrayList<>();
      for (int node = 0; node < graph.nodes(); node++) {
        if (graph.resource(node) != resource || graph.kind(node) != NodeKind.COLLECTIVE) {
          continue;
        }
        boolean small = graph.durationNanos(node) <= START_UPS * startUp;
        boolean joins =
            small
                && !run.isEmpty()
                && run.size() < MOST_MERGED
                && graph.labelId(run.getFirst()) == graph.labelId(node)
                && graph.step(run.getFirst()) == graph.step(node);
        if (!joins) {
          merge(context, change, run, startUp);
          run.clear();
        }
        if (small) {
          run.add(node);
        }
      }
      merge(context, change, run, startUp);
    }
    return change.build();
  }

  /// Keeps the last: its bytes are ready last.
  private static void merge(
      PassContext context, GraphChange change, List<Integer> run, double startUp) {
    if (run.size() < 2) {
      return;
    }
    double transfers = 0;
    for (int node : run) {
      transfers += Math.max(0, change.graph().durationNanos(node) - startUp);
    }
    int last = run.getLast();
    change.edit().setDurationNanos(last, Math.round(startUp + transfers));
    for (int node : run.subList(0, run.size() - 1)) {
      int row = change.graph().traceRow(node);
      int launch = row < 0 ? -1 : change.nodeOf(context.index().launches().launchOf(row));
      if (launch >= 0 && onlyLaunches(context, row)) {
        change.edit().remove(launch);
      }
      change.edit().remove(node);
    }
  }

  private static boolean onlyLaunches(PassContext context, int row) {
    int call = context.index().launches().launchOf(row);
    int first = context.index().launches().firstDeviceRow(call);
    return context.index().launches().nextDeviceRow(first) == Slices.NONE;
  }
}
