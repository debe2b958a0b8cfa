package dev.pitwall.trace;

import java.util.Arrays;
import java.util.function.IntToLongFunction;

/// Stable orders of rows by a long key, without boxing.
final class SortOrder {
  private SortOrder() {}

  /// Rows 0 to `size` - 1 by ascending key; equal keys keep their order.
  static int[] of(int size, IntToLongFunction key) {
    int[] order = new int[size];
    boolean sorted = true;
    for (int row = 0; row < size; row++) {
      order[row] = row;
      sorted &= row == 0 || key.applyAsLong(row - 1) <= key.applyAsLong(row);
    }
    if (!sorted) {
      mergeSort(order.clone(), order, 0, size, key);
    }
    return order;
  }

  private static void mergeSort(
      int[] source, int[] target, int from, int to, IntToLongFunction key) {
    if (to - from < 2) {
      return;
    }
    int middle = (from + to) >>> 1;
    mergeSort(target, source, from, middle, key);
    mergeSort(target, source, middle, to, key);
    if (key.applyAsLong(source[middle - 1]) <= key.applyAsLong(source[middle])) {
      System.arraycopy(source, from, target, from, to - from);
      return;
    }
    int left = from;
    int right = middle;
    for (int i = from; i < to; i++) {
      boolean takeLeft =
          right >= to
              || (left < middle && key.applyAsLong(source[left]) <= key.applyAsLong(source[right]));
      target[i] = takeLeft ? source[left++] : source[right++];
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
