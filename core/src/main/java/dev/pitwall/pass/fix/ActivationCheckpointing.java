package dev.pitwall.pass.fix;

import dev.pitwall.error.PitwallException;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.pass.Pass;
import dev.pitwall.pass.PassContext;
import dev.pitwall.pass.kernel.RepeatedBlocks;
import dev.pitwall.pass.kernel.RepeatedBlocks.Block;
import dev.pitwall.trace.CallTree;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.KernelClass;
import dev.pitwall.trace.pattern.Recomputations;
import dev.pitwall.trace.pattern.RowList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Keep activations (`off`) or compute them again during backward (`on`).
///
/// ```
/// off  GPU  |fwd 1|fwd 2|fwd 3|bwd 3|bwd 2|bwd 1|
/// on   GPU  |fwd 1|fwd 2|fwd 3|fwd 3|bwd 3|fwd 2|bwd 2|fwd 1|bwd 1|
/// ```
///
/// Off removes the recomputed forward work. On puts the forward work of each repeated block before
/// its backward, up to its last product, whose result no backward node needs
/// (`torch.utils.checkpoint` stops early).
public final class ActivationCheckpointing implements Pass {
  @Override
  public String id() {
    return "activation-checkpointing";
  }

  @Override
  public String summary() {
    return "keep activations (off) or recompute them in the backward pass (on)";
  }

  @Override
  public String argumentForm() {
    return "on|off";
  }

  @Override
  public List<String> candidateArguments(PassContext context) {
    return List.of("off");
  }

  @Override
  public Optional<String> obstacle(PassContext context, String argument) {
    boolean recomputes = Recomputations.find(context.index()).length > 0;
    if (isOff(argument)) {
      return recomputes
          ? Optional.empty()
          : Optional.of("no forward work is recomputed in the backward pass");
    }
    if (recomputes) {
      return Optional.of("activations are checkpointed already");
    }
    return blocks(context).isEmpty()
        ? Optional.of("the forward pass repeats no block whose activations could be recomputed")
        : Optional.empty();
  }

  @Override
  public ExecutionGraph apply(PassContext context, ExecutionGraph graph, String argument) {
    GraphChange change = new GraphChange(graph);
    if (isOff(argument)) {
      removeRecomputation(context.index(), change);
    } else {
      for (Block block : blocks(context)) {
        recompute(context, change, block);
      }
    }
    return change.build();
  }

  private static boolean isOff(String argument) {
    return switch (argument) {
      case "off", "" -> true;
      case "on" -> false;
      default ->
          throw PitwallException.usage(
              "activation-checkpointing takes on or off, got '" + argument + "'");
    };
  }

  private static List<Block> blocks(PassContext context) {
    List<Block> blocks = new ArrayList<>();
    for (Block block : RepeatedBlocks.find(context.index(), context.works().inputs())) {
      if (block.backwardNodes().length > 0) {
        blocks.add(block);
      }
    }
    return blocks;
  }

  /// Removes, under each backward node, everything from its first to its last recomputed operator.
  private static void removeRecomputation(TraceIndex index, GraphChange change) {
    Slices slices = index.trace().slices();
    Map<Integer, int[]> spanByNode = new TreeMap<>();
    for (int device : Recomputations.find(index)) {
      int root = recomputedRoot(index, index.launches().launchOf(device));
      if (root == Slices.NONE) {
        continue;
      }
      int end = root;
      int trackEnd = index.trace().endRow(slices.track(root));
      while (end < trackEnd && slices.startNanos(end) < slices.endNanos(root)) {
        end++;
      }
      int[] span =
          spanByNode.computeIfAbsent(
              index.calls().parent(root), unseen -> new int[] {Integer.MAX_VALUE, 0});
      span[0] = Math.min(span[0], root);
      span[1] = Math.max(span[1], end);
    }
    spanByNode.values().forEach(span -> change.removeThreadSpan(index, span[0], span[1]));
  }

  /// The outermost recomputed operator around a call: the child of the backward node.
  private static int recomputedRoot(TraceIndex index, int call) {
    CallTree calls = index.calls();
    Slices slices = index.trace().slices();
    int below = call;
    for (int at = call; at != Slices.NONE; at = calls.parent(at)) {
      int detail = slices.category(at) == Category.CPU_OP ? slices.operatorDetail(at) : Slices.NONE;
      if (detail != Slices.NONE && slices.operators().forwardThread(detail) > 0) {
        return below;
      }
      below = at;
    }
    return Slices.NONE;
  }

  private static void recompute(PassContext context, GraphChange change, Block block) {
    TraceIndex index = context.index();
    int target = firstDeviceNode(index, change, block.backwardNodes());
    int launch = target < 0 ? -1 : change.graph().launchOf(target);
    if (launch < 0) {
      return;
    }
    int[] deviceRows = deviceRows(index, block.firstRow(), block.endRow());
    int lastProduct = deviceRows.length;
    for (int i = 0; i < deviceRows.length; i++) {
      KernelClass kernelClass = context.works().classOf(deviceRows[i]);
      if (kernelClass == KernelClass.MATMUL || kernelClass == KernelClass.CONVOLUTION) {
        lastProduct = i;
      }
    }
    for (int i = 0; i < lastProduct; i++) {
      int node = change.nodeOf(deviceRows[i]);
      if (node >= 0) {
        change.insertKernelBefore(
            target, change.edit().durationNanos(node), "recomputed " + change.graph().label(node));
      }
    }
    change
        .edit()
        .insertBefore(
            launch,
            NodeKind.CPU_SEGMENT,
            change.hostNanos(block.firstRow(), block.endRow()),
            "recomputed forward on the host");
  }

  private static int firstDeviceNode(TraceIndex index, GraphChange change, int[] backwardNodes) {
    Slices slices = index.trace().slices();
    int best = -1;
    for (int row : backwardNodes) {
      int end = index.trace().endRow(slices.track(row));
      for (int at = row; at < end && slices.startNanos(at) < slices.endNanos(row); at++) {
        int device = index.launches().firstDeviceRow(at);
        int node = device == Slices.NONE ? -1 : change.nodeOf(device);
        if (node >= 0
            && (best < 0
                || slices.startNanos(device) < slices.startNanos(change.graph().traceRow(best)))) {
          best = node;
        }
      }
    }
    return best;
  }

  private static int[] deviceRows(TraceIndex index, int firstRow, int endRow) {
    RowList rows = new RowList();
    for (int row = firstRow; row < endRow; row++) {
      for (int device = index.launches().firstDeviceRow(row);
          device != Slices.NONE;
          device = index.launches().nextDeviceRow(device)) {
        rows.add(device);
      }
    }
    return rows.toArray();
  }
}
