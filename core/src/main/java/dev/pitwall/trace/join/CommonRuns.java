package dev.pitwall.trace.join;

import dev.pitwall.trace.IntColumn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Runs of kernels that two sequences share: every pair of places where the same run begins. Most
/// pairs are chance, as training repeats itself; those that belong together lie at one distance in
/// time.
final class CommonRuns {
  private static final int RUN = 8;

  /// Places looked at on each side; those of a longer recording are taken at even distances.
  private static final int MOST_PLACES = 200_000;

  /// A run that occurs more often says too little.
  private static final int MOST_REPEATS = 64;

  private static final int MOST_PAIRS = 4_000_000;

  /// Clocks of one machine drift apart by less than this in a recording; what belongs together lies
  /// in a bin.
  private static final long BIN_NANOS = 200_000;

  /// The fastest drift allowed for when pairs are gathered around a bin.
  private static final double FASTEST_DRIFT = 200e-6;

  private final KernelSequence ours;
  private final KernelSequence theirs;
  private final IntColumn ourPlace = new IntColumn();
  private final IntColumn theirPlace = new IntColumn();

  CommonRuns(KernelSequence ours, KernelSequence theirs) {
    this.ours = ours;
    this.theirs = theirs;
    Map<Integer, Places> places = new HashMap<>();
    int ourStride = Math.max(1, ours.size() / MOST_PLACES);
    for (int i = 0; i + RUN <= ours.size(); i += ourStride) {
      places.computeIfAbsent(hash(ours, i), unseen -> new Places()).add(i);
    }
    int theirStride = Math.max(1, theirs.size() / MOST_PLACES);
    for (int j = 0; j + RUN <= theirs.size() && ourPlace.size() < MOST_PAIRS; j += theirStride) {
      Places known = places.get(hash(theirs, j));
      if (known != null && known.size <= MOST_REPEATS) {
        for (int at = 0; at < known.size; at++) {
          ourPlace.add(known.places[at]);
          theirPlace.add(j);
        }
      }
    }
  }

  /// The shifts (place in theirs less place in ours) that most pairs have.
  List<Integer> shifts(int most) {
    Map<Integer, Integer> votes = new HashMap<>();
    for (int pair = 0; pair < ourPlace.size(); pair++) {
      votes.merge(theirPlace.get(pair) - ourPlace.get(pair), 1, Integer::sum);
    }
    return mostVoted(votes, most);
  }

  /// Lines through the pairs of the distances in time that most pairs have.
  List<ClockLine> lines(int most) {
    Map<Long, Integer> votes = new HashMap<>();
    for (int pair = 0; pair < ourPlace.size(); pair++) {
      votes.merge(Math.floorDiv(distance(pair), BIN_NANOS), 1, Integer::sum);
    }
    List<ClockLine> lines = new ArrayList<>();
    for (long bin : mostVoted(votes, most)) {
      lines.add(line(bin));
    }
    return lines;
  }

  private ClockLine line(long bin) {
    double[] places = new double[ourPlace.size()];
    int inBin = 0;
    for (int pair = 0; pair < ourPlace.size(); pair++) {
      if (Math.floorDiv(distance(pair), BIN_NANOS) == bin) {
        places[inBin++] = ours.startNanos[ourPlace.get(pair)];
      }
    }
    long centre = (long) Quantiles.of(Arrays.copyOf(places, inBin), 0.5);
    long distance = bin * BIN_NANOS + BIN_NANOS / 2;
    ClockLine.Fit fit = new ClockLine.Fit();
    for (int pair = 0; pair < ourPlace.size(); pair++) {
      long start = ours.startNanos[ourPlace.get(pair)];
      double tolerated = BIN_NANOS + FASTEST_DRIFT * Math.abs(start - centre);
      if (Math.abs(distance(pair) - distance) <= tolerated) {
        fit.add(start, theirs.startNanos[theirPlace.get(pair)]);
      }
    }
    return fit.line();
  }

  private long distance(int pair) {
    return theirs.startNanos[theirPlace.get(pair)] - ours.startNanos[ourPlace.get(pair)];
  }

  private static <T extends Comparable<T>> List<T> mostVoted(Map<T, Integer> votes, int most) {
    return votes.entrySet().stream()
        .sorted(
            Map.Entry.<T, Integer>comparingByValue()
                .reversed()
                .thenComparing(Map.Entry.comparingByKey()))
        .limit(most)
        .map(Map.Entry::getKey)
        .toList();
  }

  private static int hash(KernelSequence sequence, int from) {
    int code = 1;
    for (int k = from; k < from + RUN; k++) {
      code = code * 0x01000193 ^ sequence.symbols[k];
    }
    return code;
  }

  /// Where one run begins.
  private static final class Places {
    private int[] places = new int[4];
    private int size;

    void add(int place) {
      if (size > MOST_REPEATS) {
        return;
      }
      if (size == places.length) {
        places = Arrays.copyOf(places, 2 * size);
      }
      places[size++] = place;
    }
  }
}
