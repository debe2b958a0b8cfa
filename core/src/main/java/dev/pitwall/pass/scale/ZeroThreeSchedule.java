package dev.pitwall.pass.scale;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Which parameters DeepSpeed's stage 3 gathers before which use, once it has recorded the order of
/// the modules: `fetch_sub_module`, `release_sub_module` and `__params_to_release` of
/// `partitioned_param_coordinator.py`, one parameter a module.
///
/// Before a use, its parameter is gathered unless it is there. Then the parameters of the next uses
/// are gathered together, until the prefetch bucket is full or as much as allowed is live. After a
/// use, the parameter is released unless it persists, comes again within the reuse distance, or was
/// passed over by the prefetch because it was still there.
final class ZeroThreeSchedule {
  /// One all-gather.
  ///
  /// @param beforeUse the use during whose fetch it is issued
  /// @param firstNeededAt the first use that waits for it
  /// @param prefetched issued ahead, as opposed to at the use that waits for it
  record Gather(int beforeUse, int firstNeededAt, long elements, boolean prefetched) {}

  private final ZeroThreeOptions options;
  private final int[] uses;
  private final long[] elements;
  private final boolean[] there;
  private final int[] passedUntil;
  private final List<Gather> gathers = new ArrayList<>();
  private long live;
  private long mostLive;
  private int next;

  /// @param uses parameters in the order in which one forward and backward needs them
  /// @param elements of each parameter
  ZeroThreeSchedule(int[] uses, long[] elements, ZeroThreeOptions options) {
    this.uses = uses;
    this.elements = elements;
    this.options = options;
    there = new boolean[elements.length];
    passedUntil = new int[elements.length];
    Arrays.fill(passedUntil, -1);
    for (int parameter = 0; parameter < elements.length; parameter++) {
      there[parameter] = isPersistent(parameter);
    }
    for (int use = 0; use < uses.length; use++) {
      fetch(use);
      release(use);
    }
  }

  List<Gather> gathers() {
    return gathers;
  }

  /// The most elements that were gathered at once, persistent ones not counted.
  long mostLive() {
    return mostLive;
  }

  private boolean isPersistent(int parameter) {
    return elements[parameter] <= options.persistenceThreshold();
  }

  private void fetch(int use) {
    int parameter = uses[use];
    if (!there[parameter]) {
      take(parameter);
      gathers.add(new Gather(use, use, elements[parameter], false));
    }
    passedUntil[parameter] = Math.max(passedUntil[parameter], use);
    next = Math.max(next, use + 1);
    long most = Math.min(options.maxLive() - live, options.prefetchBucket());
    long ahead = 0;
    int neededAt = -1;
    while (next < uses.length && ahead < most) {
      int upcoming = uses[next];
      passedUntil[upcoming] = Math.max(passedUntil[upcoming], next);
      if (!there[upcoming]) {
        take(upcoming);
        ahead += elements[upcoming];
        neededAt = neededAt < 0 ? next : neededAt;
      }
      next++;
    }
    if (ahead > 0) {
      gathers.add(new Gather(use, neededAt, ahead, true));
    }
  }

  private void take(int parameter) {
    there[parameter] = true;
    live += elements[parameter];
    mostLive = Math.max(mostLive, live);
  }

  private void release(int use) {
    int parameter = uses[use];
    if (isPersistent(parameter) || passedUntil[parameter] > use || isUsedSoon(parameter, use)) {
      return;
    }
    there[parameter] = false;
    live -= elements[parameter];
  }

  private boolean isUsedSoon(int parameter, int use) {
    long distance = 0;
    for (int later = use + 1; later < uses.length; later++) {
      if (distance >= options.maxReuseDistance()) {
        return false;
      }
      if (uses[later] == parameter) {
        return true;
      }
      distance += elements[uses[later]];
    }
    return false;
  }
}
