package dev.pitwall.graph;

import java.util.Arrays;

/// A growing array of longs.
final class LongList {
  private long[] values = new long[64];
  private int size;

  void add(long value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, size * 2);
    }
    values[size++] = value;
  }

  long get(int index) {
    return values[index];
  }

  void set(int index, long value) {
    values[index] = value;
  }

  int size() {
    return size;
  }

  long[] toArray() {
    return Arrays.copyOf(values, size);
  }

  /// The value below which this share of the values lies, or `fallback` where there is none.
  long quantile(double share, long fallback) {
    if (size == 0) {
      return fallback;
    }
    long[] sorted = toArray();
    Arrays.sort(sorted);
    return sorted[(int) Math.min(size - 1, Math.floor(share * size))];
  }
}
