package dev.pitwall.trace;

import java.util.ArrayDeque;
import java.util.Arrays;

/// A growing column of longs in chunks of 65,536, so that growth copies nothing already written.
public final class LongColumn {
  private static final int CHUNK_BITS = 16;
  private static final int CHUNK_MASK = (1 << CHUNK_BITS) - 1;

  private long[][] chunks = new long[16][];
  private int size;

  /// Appends a value as row `size()`.
  public void add(long value) {
    int chunk = size >>> CHUNK_BITS;
    if (chunk == chunks.length) {
      chunks = Arrays.copyOf(chunks, chunks.length * 2);
    }
    if (chunks[chunk] == null) {
      chunks[chunk] = new long[1 << CHUNK_BITS];
    }
    chunks[chunk][size & CHUNK_MASK] = value;
    size++;
  }

  public long get(int row) {
    return chunks[row >>> CHUNK_BITS][row & CHUNK_MASK];
  }

  public void set(int row, long value) {
    chunks[row >>> CHUNK_BITS][row & CHUNK_MASK] = value;
  }

  public int size() {
    return size;
  }

  /// The same values in the order given: row `i` of the result is row `order[i]` of this column.
  public LongColumn reordered(int[] order) {
    return reordered(order, new ArrayDeque<>());
  }

  /// Like [#reordered(int[])], but this column is empty afterwards: its chunks are left in `spare`
  /// for the next column, so that sorting many columns needs room for one more.
  LongColumn moveTo(int[] order, ArrayDeque<long[]> spare) {
    LongColumn result = reordered(order, spare);
    for (int chunk = 0; chunk << CHUNK_BITS < size; chunk++) {
      spare.push(chunks[chunk]);
    }
    chunks = new long[16][];
    size = 0;
    return result;
  }

  private LongColumn reordered(int[] order, ArrayDeque<long[]> spare) {
    LongColumn result = new LongColumn();
    result.chunks = new long[Math.max(16, Math.ceilDiv(order.length, 1 << CHUNK_BITS))][];
    for (int from = 0; from < order.length; from += 1 << CHUNK_BITS) {
      long[] chunk = spare.isEmpty() ? new long[1 << CHUNK_BITS] : spare.pop();
      int count = Math.min(1 << CHUNK_BITS, order.length - from);
      for (int i = 0; i < count; i++) {
        chunk[i] = get(order[from + i]);
      }
      result.chunks[from >>> CHUNK_BITS] = chunk;
    }
    result.size = order.length;
    return result;
  }
}
