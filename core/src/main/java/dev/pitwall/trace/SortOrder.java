package dev.pitwall.trace;

import java.util.Arrays;
import java.util.function.IntToLongFunction;

/// Stable orders of rows by a long key, without boxing.
final class SortOrder {
  private SortOrder() {}

  /// Rows 0 to `size` - 1 by ascending key; equal keys keep their order. A recorder writes a few
  /// long ascending runs one behind the other, so runs are found and merged.
  static int[] of(int size, IntToLongFunction key) {
    long[] keys = new long[size];
    int[] order = new int[size];
    int[] runStarts = new int[16];
    int runs = 0;
    for (int row = 0; row < size; row++) {
      keys[row] = key.applyAsLong(row);
      order[row] = row;
      if (row == 0 || keys[row] < keys[row - 1]) {
        if (runs + 1 == runStarts.length) {
          runStarts = Arrays.copyOf(runStarts, 2 * runs + 2);
        }
        runStarts[runs++] = row;
      }
    }
    runStarts[runs] = size;
    int[] merged = runs > 1 ? new int[size] : order;
    while (runs > 1) {
      int left = 0;
      for (int run = 0; run < runs; run += 2) {
        int middle = runStarts[Math.min(run + 1, runs)];
        int end = runStarts[Math.min(run + 2, runs)];
        merge(keys, order, runStarts[run], middle, end, merged);
        runStarts[left++] = runStarts[run];
      }
      runs = left;
      runStarts[runs] = size;
      int[] swapped = order;
      order = merged;
      merged = swapped;
    }
    return order;
  }

  private static void merge(long[] keys, int[] source, int from, int middle, int to, int[] target) {
    int left = from;
    int right = middle;
    for (int at = from; at < to; at++) {
      boolean takeLeft =
          right == to || (left < middle && keys[source[left]] <= keys[source[right]]);
      target[at] = takeLeft ? source[left++] : source[right++];
    }
  }

  /// The order of slices: by track, then start, then longest first, then file order.
  static int[] ofSlices(
      IntColumn track, LongColumn startNanos, LongColumn durationNanos, int tracks) {
    int size = track.size();
    int[] first = new int[tracks + 1];
    for (int row = 0; row < size; row++) {
      first[track.get(row) + 1]++;
    }
    for (int i = 0; i < tracks; i++) {
      first[i + 1] += first[i];
    }
    int[] next = Arrays.copyOf(first, tracks);
    int[] grouped = new int[size];
    for (int row = 0; row < size; row++) {
      grouped[next[track.get(row)]++] = row;
    }
    for (int i = 0; i < tracks; i++) {
      int base = first[i];
      int count = first[i + 1] - base;
      int[] rows = Arrays.copyOfRange(grouped, base, base + count);
      int[] byStart = of(count, at -> startNanos.get(rows[at]));
      for (int at = 0; at < count; at++) {
        grouped[base + at] = rows[byStart[at]];
      }
      longestFirstAmongEqualStarts(grouped, base, base + count, startNanos, durationNanos);
    }
    return grouped;
  }

  private static void longestFirstAmongEqualStarts(
      int[] rows, int from, int to, LongColumn startNanos, LongColumn durationNanos) {
    int runStart = from;
    while (runStart < to) {
      int runEnd = runStart + 1;
      long start = startNanos.get(rows[runStart]);
      while (runEnd < to && startNanos.get(rows[runEnd]) == start) {
        runEnd++;
      }
      if (runEnd - runStart > 1) {
        int[] run = Arrays.copyOfRange(rows, runStart, runEnd);
        int[] byDuration = of(run.length, at -> -durationNanos.get(run[at]));
        for (int at = 0; at < run.length; at++) {
          rows[runStart + at] = run[byDuration[at]];
        }
      }
      runStart = runEnd;
    }
  }
}
