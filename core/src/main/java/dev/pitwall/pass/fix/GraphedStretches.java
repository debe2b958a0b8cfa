package dev.pitwall.pass.fix;

import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.HostSyncs;
import dev.pitwall.trace.pattern.InputWaits;
import dev.pitwall.trace.pattern.OptimizerPart;
import java.util.Arrays;
import java.util.BitSet;

/// The stretches of each step that a CUDA graph could launch: from one wait of the host to the
/// next, where a backward pass is in it; all of a step without waits. The optimizer, handing
/// gradients to their parameters, and fetching the input are in none.
///
/// ```
/// host   |copy|wait| forward | backward | clip |wait| optimizer |
///                  |<------- stretch --------->|
/// ```
final class GraphedStretches {
  private static final String ACCUMULATE_GRADIENT =
      "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad";

  private static final String BACKWARD = "autograd::engine::evaluate_function";

  private final TraceIndex index;
  private final CallRegion apart;
  private final OptimizerPart optimizer;

  /// Where each stretch begins, ascending; it ends where the next begins.
  private final long[] startNanos;

  private final boolean[] launchable;
  private final BitSet isWait = new BitSet();
  private double coveredShare;

  private GraphedStretches(TraceIndex index, boolean waitsAreGone) {
    this.index = index;
    Slices slices = index.trace().slices();
    optimizer = OptimizerPart.of(index);
    CallRegion input = CallRegion.of(index, InputWaits.find(index));
    apart =
        CallRegion.of(
            index,
            row -> input.contains(row) || index.trace().name(row).equals(ACCUMULATE_GRADIENT));
    int[] waits =
        waitsAreGone
            ? new int[0]
            : Arrays.stream(HostSyncs.find(index)).filter(this::isInGraph).toArray();
    startNanos = new long[waits.length + index.steps().count()];
    for (int i = 0; i < waits.length; i++) {
      startNanos[i] = slices.endNanos(waits[i]);
      isWait.set(waits[i]);
    }
    System.arraycopy(
        index.steps().startNanos(), 0, startNanos, waits.length, index.steps().count());
    Arrays.sort(startNanos);
    launchable = new boolean[startNanos.length];
  }

  /// @param waitsAreGone whether another fix has taken the host's waits out
  static GraphedStretches of(TraceIndex index, boolean waitsAreGone) {
    GraphedStretches stretches = new GraphedStretches(index, waitsAreGone);
    stretches.choose();
    return stretches;
  }

  private void choose() {
    int[] launches = new int[launchable.length];
    int all = 0;
    for (int call : index.trace().slices().apiCallRows()) {
      if (index.stepOf(call) >= 0
          && index.launches().firstDeviceRow(call) != Slices.NONE
          && isInGraph(call)) {
        int stretch = at(call);
        launches[stretch]++;
        launchable[stretch] |= isBackward(call);
        all++;
      }
    }
    int covered = 0;
    for (int stretch = 0; stretch < launchable.length; stretch++) {
      launchable[stretch] |= isWholeStep(stretch);
      covered += launchable[stretch] ? launches[stretch] : 0;
    }
    coveredShare = all == 0 ? 1 : (double) covered / all;
  }

  /// Share of the launches outside the optimizer that lie in stretches, 0 to 1; 1 where there are
  /// none.
  double coveredShare() {
    return coveredShare;
  }

  int count() {
    return launchable.length;
  }

  /// The stretch that this call would be launched with, or -1.
  int of(int call) {
    if (call < 0 || index.stepOf(call) < 0 || !isInGraph(call)) {
      return -1;
    }
    int stretch = at(call);
    return launchable[stretch] ? stretch : -1;
  }

  /// Whether this call is of the part of a step that a graph can hold.
  boolean isInGraph(int call) {
    return !isWait.get(call) && !apart.contains(call) && !optimizer.contains(call);
  }

  private int at(int call) {
    int found = Arrays.binarySearch(startNanos, index.trace().slices().startNanos(call));
    return found >= 0 ? found : -found - 2;
  }

  private boolean isWholeStep(int stretch) {
    long[] steps = index.steps().startNanos();
    boolean begins = Arrays.binarySearch(steps, startNanos[stretch]) >= 0;
    return begins
        && (stretch + 1 == startNanos.length
            || Arrays.binarySearch(steps, startNanos[stretch + 1]) >= 0);
  }

  private boolean isBackward(int call) {
    for (int at = call; at != Slices.NONE; at = index.calls().parent(at)) {
      if (index.trace().name(at).startsWith(BACKWARD)) {
        return true;
      }
    }
    return false;
  }
}
