package dev.pitwall.trace.join;

import java.util.Arrays;

/// The kernels that two sequences share under one supposition of how they lie to each other.
final class KernelMatch {
  private static final int AGREE_AGAIN = 3;
  private static final int LONGEST_GAP = 24;
  private static final double MOST_TIMES_AS_LONG = 2;

  /// How near to the line a kernel must be to count as the same one, closer with every round.
  private static final long[] TOLERATED_NANOS = {100_000, 40_000, 20_000, 10_000};

  private static final double TIMES_THE_ERROR = 4;
  private static final long LEAST_TOLERATED_NANOS = 1_000;

  private final KernelSequence ours;
  private final KernelSequence theirs;
  private final int[] ourIndex;
  private final int[] theirIndex;
  private int size;
  private final int compared;

  private KernelMatch(KernelSequence ours, KernelSequence theirs, int compared) {
    this.ours = ours;
    this.theirs = theirs;
    this.compared = Math.max(0, compared);
    ourIndex = new int[ours.size()];
    theirIndex = new int[ours.size()];
  }

  /// By time: with every round the line is drawn through the kernels of the same name that lie near
  /// it, and only nearer ones count in the next.
  static KernelMatch near(ClockLine guess, KernelSequence ours, KernelSequence theirs) {
    ClockLine line = guess;
    KernelMatch match = new KernelMatch(ours, theirs, 0);
    for (long tolerated : TOLERATED_NANOS) {
      match = near(line, tolerated, ours, theirs);
      line = match.fit().line();
    }
    double error = match.fit().error(line, 0.5);
    return near(line, Math.round(TIMES_THE_ERROR * error) + LEAST_TOLERATED_NANOS, ours, theirs);
  }

  private static KernelMatch near(
      ClockLine line, long toleratedNanos, KernelSequence ours, KernelSequence theirs) {
    int inTheirs = 0;
    long from = theirs.startNanos[0] - toleratedNanos;
    long to = theirs.startNanos[theirs.size() - 1] + toleratedNanos;
    for (long start : ours.startNanos) {
      long expected = line.theirs(start);
      inTheirs += expected >= from && expected <= to ? 1 : 0;
    }
    KernelMatch match = new KernelMatch(ours, theirs, inTheirs);
    for (int i = 0; i < ours.size(); i++) {
      long expected = line.theirs(ours.startNanos[i]);
      int nearest = nearest(theirs, ours.symbols[i], expected, toleratedNanos);
      // Where one recorder lost a kernel, its neighbour of the same name must not stand for it.
      if (nearest >= 0
          && nearest(
                  ours,
                  ours.symbols[i],
                  ours.startNanos[i] + theirs.startNanos[nearest] - expected,
                  toleratedNanos)
              == i) {
        match.add(i, nearest);
      }
    }
    return match;
  }

  /// The kernel of this name that starts nearest to a moment, -1 where none is near.
  private static int nearest(KernelSequence kernels, int symbol, long nanos, long toleratedNanos) {
    int first = Arrays.binarySearch(kernels.startNanos, nanos - toleratedNanos);
    int nearest = -1;
    for (int k = first < 0 ? -first - 1 : first;
        k < kernels.size() && kernels.startNanos[k] <= nanos + toleratedNanos;
        k++) {
      if (kernels.symbols[k] == symbol
          && (nearest < 0
              || Math.abs(kernels.startNanos[k] - nanos)
                  < Math.abs(kernels.startNanos[nearest] - nanos))) {
        nearest = k;
      }
    }
    return nearest;
  }

  /// By order: the sequences shifted against each other. Where one lacks kernels, the walk skips
  /// ahead on either side until both agree again. This is for two runs of one job, whose steps do
  /// not last alike.
  static KernelMatch at(int shift, KernelSequence ours, KernelSequence theirs) {
    int i = Math.max(0, -shift);
    int j = Math.max(0, shift);
    KernelMatch match = new KernelMatch(ours, theirs, Math.min(ours.size() - i, theirs.size() - j));
    while (i < ours.size() && j < theirs.size()) {
      if (ours.symbols[i] == theirs.symbols[j]) {
        match.add(i++, j++);
        continue;
      }
      int gap = gapUntilAgreement(ours, i, theirs, j);
      i += gap >> 16;
      j += gap & 0xFFFF;
    }
    return match;
  }

  int size() {
    return size;
  }

  /// Kernels of ours that could have matched.
  int compared() {
    return compared;
  }

  /// The starts of the shared kernels on both clocks.
  ClockLine.Fit fit() {
    ClockLine.Fit fit = new ClockLine.Fit();
    for (int i = 0; i < size; i++) {
      fit.add(ours.startNanos[ourIndex[i]], theirs.startNanos[theirIndex[i]]);
    }
    return fit;
  }

  /// Whether the same kernels take about as long in both.
  boolean durationsAgree() {
    double[] ratios = new double[size];
    for (int i = 0; i < size; i++) {
      ratios[i] =
          (double) Math.max(1, theirs.durationNanos[theirIndex[i]])
              / Math.max(1, ours.durationNanos[ourIndex[i]]);
    }
    double median = Quantiles.of(ratios, 0.5);
    return median < MOST_TIMES_AS_LONG && median > 1 / MOST_TIMES_AS_LONG;
  }

  private void add(int ourKernel, int theirKernel) {
    ourIndex[size] = ourKernel;
    theirIndex[size++] = theirKernel;
  }

  /// How many kernels to skip in ours (high half) and theirs (low half), as few as possible; one of
  /// each where they do not agree soon.
  private static int gapUntilAgreement(KernelSequence ours, int i, KernelSequence theirs, int j) {
    for (int both = 1; both <= LONGEST_GAP; both++) {
      for (int skipped = 0; skipped <= both; skipped++) {
        if (agree(ours, i + skipped, theirs, j + both - skipped)) {
          return skipped << 16 | (both - skipped);
        }
      }
    }
    return 1 << 16 | 1;
  }

  private static boolean agree(KernelSequence ours, int i, KernelSequence theirs, int j) {
    for (int k = 0; k < AGREE_AGAIN; k++) {
      if (i + k >= ours.size()
          || j + k >= theirs.size()
          || ours.symbols[i + k] != theirs.symbols[j + k]) {
        return false;
      }
    }
    return true;
  }
}
