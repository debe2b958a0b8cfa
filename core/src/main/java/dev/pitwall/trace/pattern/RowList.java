package dev.pitwall.trace.pattern;

import java.util.Arrays;

/// A growing list of rows without boxing.
public final class RowList {
  private int[] rows = new int[16];
  private int size;

  public void add(int row) {
    if (size == rows.length) {
      rows = Arrays.copyOf(rows, size * 2);
    }
    rows[size++] = row;
  }

  public int size() {
    return size;
  }

  public int[] toArray() {
    return Arrays.copyOf(rows, size);
  }
}
