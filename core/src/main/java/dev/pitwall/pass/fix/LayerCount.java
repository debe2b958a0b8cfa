package dev.pitwall.pass.fix;

import dev.pitwall.error.PitwallException;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.pass.Pass;
import dev.pitwall.pass.PassContext;
import dev.pitwall.pass.kernel.RepeatedBlocks;
import dev.pitwall.pass.kernel.RepeatedBlocks.Block;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.OptimizerSteps;
import dev.pitwall.trace.pattern.OptimizerSteps.OptimizerStep;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The same model with another number of layers (`layers=N`).
///
/// ```
/// before  |embed|block|block|block|block|head|    8 blocks
/// after   |embed|block|block|head|                4 blocks: each counts half
/// ```
///
/// Host and device time of the repeated block, forward and backward, is scaled by the new count
/// over the recorded one; the optimizer by the parameters that then remain.
public final class LayerCount implements Pass {
  private static final int MOST_LAYERS = 100_000;

  @Override
  public String id() {
    return "layers";
  }

  @Override
  public String summary() {
    return "build the model with another number of layers";
  }

  @Override
  public String argumentForm() {
    return "N";
  }

  @Override
  public Optional<String> obstacle(PassContext context, String argument) {
    return RepeatedBlocks.find(context.index(), context.works().inputs()).isEmpty()
        ? Optional.of("the forward pass repeats no block of operators")
        : Optional.empty();
  }

  @Override
  public ExecutionGraph apply(PassContext context, ExecutionGraph graph, String argument) {
    int layers = parsed(argument);
    TraceIndex index = context.index();
    List<Block> blocks = RepeatedBlocks.find(index, context.works().inputs());
    Map<Integer, Integer> blocksOfStep = new HashMap<>();
    Map<Integer, Long> blockElements = new HashMap<>();
    for (Block block : blocks) {
      blocksOfStep.merge(block.step(), 1, Integer::sum);
      blockElements.merge(block.step(), block.parameterElements(), Long::sum);
    }
    GraphChange change = new GraphChange(graph);
    Scaling scaling = new Scaling(change);
    for (Block block : blocks) {
      double factor = (double) layers / blocksOfStep.getOrDefault(block.step(), 1);
      scaling.span(index, block.firstRow(), block.endRow(), factor);
      for (int node : block.backwardNodes()) {
        scaling.span(index, node, endOf(index, node), factor);
      }
    }
    for (OptimizerStep step : OptimizerSteps.find(index)) {
      int trainingStep = index.stepOf(step.row());
      Integer count = blocksOfStep.get(trainingStep);
      if (count != null) {
        double all =
            RepeatedBlocks.parameterElements(index, context.works().inputs(), trainingStep);
        double inBlocks = Math.min(all, blockElements.getOrDefault(trainingStep, 0L));
        double factor = all <= 0 ? 1 : 1 + inBlocks / all * ((double) layers / count - 1);
        scaling.span(index, step.firstRow(), OptimizerHost.endRow(index, step), factor);
      }
    }
    return change.build();
  }

  private static int endOf(TraceIndex index, int row) {
    Slices slices = index.trace().slices();
    int end = index.trace().endRow(slices.track(row));
    int at = row;
    while (at < end && slices.startNanos(at) < slices.endNanos(row)) {
      at++;
    }
    return at;
  }

  private int parsed(String argument) {
    try {
      int layers = Integer.parseInt(argument);
      if (layers >= 1 && layers <= MOST_LAYERS) {
        return layers;
      }
    } catch (NumberFormatException notANumber) {
      // Said below, for both reasons.
    }
    throw PitwallException.usage(
        "layers=N needs a whole number from 1 to " + MOST_LAYERS + ", got '" + argument + "'");
  }

  /// Scales spans of a thread with the device work they launched, each node once.
  private static final class Scaling {
    private final GraphChange change;
    private final boolean[] done;

    Scaling(GraphChange change) {
      this.change = change;
      this.done = new boolean[change.graph().nodes()];
    }

    void span(TraceIndex index, int firstRow, int endRow, double factor) {
      for (int node : change.threadSpan(firstRow, endRow)) {
        scale(node, factor);
      }
      for (int row = firstRow; row < endRow; row++) {
        for (int device = index.launches().firstDeviceRow(row);
            device != Slices.NONE;
            device = index.launches().nextDeviceRow(device)) {
          int node = change.nodeOf(device);
          if (node >= 0) {
            scale(node, factor);
          }
        }
      }
    }

    private void scale(int node, double factor) {
      if (!done[node]) {
        done[node] = true;
        change.scale(node, factor);
        if (change.graph().kind(node).isDeviceWork()) {
          change
              .edit()
              .setOrderLagNanos(node, Math.round(change.edit().orderLagNanos(node) * factor));
        }
      }
    }
  }
}
