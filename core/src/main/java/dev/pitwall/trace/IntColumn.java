package dev.pitwall.trace;

import java.util.Arrays;

/// A growing column of ints in chunks of 65,536, so that growth copies nothing already written.
public final class IntColumn {
  private static final int CHUNK_BITS = 16;
  private static final int CHUNK_MASK = (1 << CHUNK_BITS) - 1;

  private int[][] chunks = new int[16][];
  private int size;

  /// Appends a value as row `size()`.
  public void add(int value) {
    int chunk = size >>> CHUNK_BITS;
    if (chunk == chunks.length) {
      chunks = Arrays.copyOf(chunks, chunks.length * 2);
    }
    if (chunks[chunk] == null) {
      chunks[chunk] = new int[1 << CHUNK_BITS];
    }
    chunks[chunk][size & CHUNK_MASK] = value;
    size++;
  }

  public int get(int row) {
    return chunks[row >>> CHUNK_BITS][row & CHUNK_MASK];
  }

  public void set(int row, int value) {
    chunks[row >>> CHUNK_BITS][row & CHUNK_MASK] = value;
  }

  public int size() {
    return size;
  }

  /// The same values in the order given: row `i` of the result is row `order[i]` of this column.
  public IntColumn reordered(int[] order) {
    IntColumn result = new IntColumn();
    for (int row : order) {
      result.add(get(row));
    }
    return result;
  }
}
