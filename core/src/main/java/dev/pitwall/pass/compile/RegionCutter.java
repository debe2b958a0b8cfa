package dev.pitwall.pass.compile;

import dev.pitwall.pass.compile.TracedProgram.Region;
import java.util.ArrayList;
import java.util.List;

/// Cuts a program where the host waits for a value, as Dynamo would.
///
/// Waits that repeat with the same operators between them stand in a loop. A break inside a loop
/// loses the frame that holds the loop: only what the loop calls is compiled, and what comes before
/// and after it in that frame stays eager (`GB7000`, *graph break in loop*).
///
/// ```
/// embedding | block ✂ rest | block ✂ rest | block ✂ rest | head, loss
///   eager   |        compiled, two regions a block        |   eager
/// ```
///
/// Dynamo breaks at a recurrent layer (`nn.LSTM`, `nn.GRU`, `nn.RNN`) too, and does not take up
/// again behind it: the layer and what follows in the forward stay eager (pytorch/pytorch issue
/// 141184).
final class RegionCutter {
  private static final int WAITS_THAT_MAKE_A_LOOP = 3;

  private RegionCutter() {}

  static List<Region> cut(List<TracedOperator> forward, List<TracedOperator> backward) {
    int recurrent = 0;
    while (recurrent < forward.size() && !isRecurrent(forward.get(recurrent))) {
      recurrent++;
    }
    List<Region> regions = forwardRegions(forward.subList(0, recurrent));
    addRegion(regions, forward.subList(recurrent, forward.size()), false);
    regions.addAll(backwardRegions(List.copyOf(regions), backward));
    return regions;
  }

  private static boolean isRecurrent(TracedOperator operator) {
    return operator.shortName().equals("_cudnn_rnn");
  }

  private static List<Region> forwardRegions(List<TracedOperator> forward) {
    List<Integer> waits = new ArrayList<>();
    for (int at = 0; at < forward.size(); at++) {
      if (forward.get(at).kind() == OperatorKind.SYNC) {
        waits.add(at);
      }
    }
    List<Region> forwardRegions = new ArrayList<>();
    int from = 0;
    int loopStart = 0;
    int loopEnd = forward.size();
    if (waits.size() >= WAITS_THAT_MAKE_A_LOOP) {
      int common = commonBefore(forward, waits.get(0), waits.get(1));
      loopStart = waits.get(0) - common;
      int last = waits.size() - 1;
      loopEnd = waits.get(last) + 1 + commonAfter(forward, waits.get(last), waits.get(last - 1));
      addRegion(forwardRegions, forward.subList(0, loopStart), false);
      from = loopStart;
    }
    int period = waits.size() >= WAITS_THAT_MAKE_A_LOOP ? waits.get(1) - waits.get(0) : 0;
    int before = waits.isEmpty() ? 0 : waits.getFirst() - loopStart;
    for (int at = 0; at < waits.size(); at++) {
      int wait = waits.get(at);
      if (period > 0 && at > 0 && wait - before > from) {
        addRegion(forwardRegions, forward.subList(from, wait - before), true);
        from = wait - before;
      }
      addRegion(forwardRegions, forward.subList(from, wait), true);
      from = wait + 1;
    }
    addRegion(forwardRegions, forward.subList(Math.min(from, loopEnd), loopEnd), true);
    if (loopEnd < forward.size()) {
      addRegion(forwardRegions, forward.subList(Math.max(from, loopEnd), forward.size()), false);
    }
    return forwardRegions;
  }

  /// The backward of a region is what has its sequence numbers.
  private static List<Region> backwardRegions(List<Region> forward, List<TracedOperator> backward) {
    List<Region> regions = new ArrayList<>();
    List<TracedOperator> open = new ArrayList<>();
    int owner = -1;
    for (TracedOperator operator : backward) {
      int found = owner < 0 ? 0 : owner;
      if (operator.sequence() >= 0 && forward.size() > 1) {
        found = 0;
        for (int at = 0; at < forward.size(); at++) {
          long first = firstSequence(forward.get(at));
          if (first >= 0 && operator.sequence() >= first) {
            found = at;
          }
        }
      }
      if (found != owner && !open.isEmpty()) {
        regions.add(new Region(true, owner < 0 || forward.get(owner).isCompiled(), open));
        open = new ArrayList<>();
      }
      owner = forward.isEmpty() ? -1 : found;
      open.add(operator);
    }
    if (!open.isEmpty()) {
      regions.add(new Region(true, owner < 0 || forward.get(owner).isCompiled(), open));
    }
    return regions;
  }

  private static long firstSequence(Region region) {
    for (TracedOperator operator : region.operators()) {
      if (operator.sequence() >= 0) {
        return operator.sequence();
      }
    }
    return -1;
  }

  private static int commonBefore(List<TracedOperator> operators, int first, int second) {
    int common = 0;
    while (first - common - 1 >= 0
        && second - common - 1 > first
        && same(operators.get(first - common - 1), operators.get(second - common - 1))) {
      common++;
    }
    return common;
  }

  private static int commonAfter(List<TracedOperator> operators, int last, int previous) {
    int common = 0;
    while (last + common + 1 < operators.size()
        && previous + common + 1 < last
        && same(operators.get(last + common + 1), operators.get(previous + common + 1))) {
      common++;
    }
    return common;
  }

  private static boolean same(TracedOperator left, TracedOperator right) {
    return left.name().equals(right.name()) && left.output().equals(right.output());
  }

  private static void addRegion(
      List<Region> regions, List<TracedOperator> operators, boolean isCompiled) {
    if (!operators.isEmpty()) {
      regions.add(new Region(false, isCompiled, operators));
    }
  }
}
