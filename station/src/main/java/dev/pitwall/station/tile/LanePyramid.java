package dev.pitwall.station.tile;

import dev.pitwall.trace.Slices;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// One lane at every zoom. A level cuts time into buckets of `2^bits` nanoseconds and keeps, of
/// each bucket in which a slice starts, the longest of them, their number and their time.
///
/// The finest level has a quarter as many buckets as the lane has slices; finer questions read the
/// slices themselves. A coarser level is kept only where it has at most 60 % of the buckets of the
/// one below, so the whole pyramid takes about 10 bytes a slice and an answer reads at most 1.7
/// times the buckets that it gives. Times are those of the trace.
final class LanePyramid {
  private static final int COARSEST_BITS = 50;

  /// Receives buckets in order of time.
  interface Sink {
    /// One bucket: `bucket` is its start shifted right by the bits asked for, `busyNanos` the sum
    /// of the durations of the `count` slices that start in it.
    void bucket(long bucket, int longestRow, int count, long busyNanos);
  }

  private static final class Level {
    final int bits;
    final long[] bucket;
    final int[] longestRow;
    final int[] count;
    final long[] busyNanos;
    int size;

    Level(int bits, int capacity) {
      this.bits = bits;
      bucket = new long[capacity];
      longestRow = new int[capacity];
      count = new int[capacity];
      busyNanos = new long[capacity];
    }

    private Level(Level other) {
      bits = other.bits;
      size = other.size;
      bucket = Arrays.copyOf(other.bucket, size);
      longestRow = Arrays.copyOf(other.longestRow, size);
      count = Arrays.copyOf(other.count, size);
      busyNanos = Arrays.copyOf(other.busyNanos, size);
    }

    Level trimmed() {
      return new Level(this);
    }

    void add(long at, int longest, int slices, long busy) {
      bucket[size] = at;
      longestRow[size] = longest;
      count[size] = slices;
      busyNanos[size] = busy;
      size++;
    }
  }

  private final Slices slices;
  private final int[] rows;
  private final List<Level> levels = new ArrayList<>();

  /// @param rows the rows of the lane in order of start
  LanePyramid(Slices slices, int[] rows) {
    this.slices = slices;
    this.rows = rows;
    if (rows.length < 64) {
      return;
    }
    Level below = level(finestBits());
    levels.add(below);
    for (int bits = below.bits + 1; bits <= COARSEST_BITS && below.size > 1; bits++) {
      int size = bucketsAt(bits, below);
      if (size <= below.size * 3 / 5) {
        below = level(bits);
        levels.add(below);
      }
    }
  }

  int[] rows() {
    return rows;
  }

  /// Index in [#rows] of the first slice that starts at or after a time.
  int firstAtOrAfter(long timeNanos) {
    int low = 0;
    int high = rows.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (slices.startNanos(rows[middle]) < timeNanos) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// Gives the non-empty buckets of `2^bits` nanoseconds in which a slice starts between the two
  /// times; both are multiples of the bucket.
  void buckets(int bits, long fromNanos, long toNanos, Sink sink) {
    Level source = null;
    for (Level level : levels) {
      if (level.bits <= bits) {
        source = level;
      }
    }
    Merger merger = new Merger(sink);
    if (source == null) {
      for (int i = firstAtOrAfter(fromNanos); i < rows.length; i++) {
        long start = slices.startNanos(rows[i]);
        if (start >= toNanos) {
          break;
        }
        merger.add(start >> bits, rows[i], 1, slices.durationNanos(rows[i]));
      }
    } else {
      int shift = bits - source.bits;
      long end = toNanos >> source.bits;
      int at = Arrays.binarySearch(source.bucket, 0, source.size, fromNanos >> source.bits);
      for (int i = at < 0 ? -at - 1 : at; i < source.size && source.bucket[i] < end; i++) {
        merger.add(
            source.bucket[i] >> shift, source.longestRow[i], source.count[i], source.busyNanos[i]);
      }
    }
    merger.finish();
  }

  private final class Merger {
    private final Sink sink;
    private long bucket;
    private int longestRow = -1;
    private int count;
    private long busyNanos;

    Merger(Sink sink) {
      this.sink = sink;
    }

    void add(long at, int row, int slicesInside, long busy) {
      if (longestRow >= 0 && at == bucket) {
        if (slices.durationNanos(row) > slices.durationNanos(longestRow)) {
          longestRow = row;
        }
        count += slicesInside;
        busyNanos += busy;
        return;
      }
      finish();
      bucket = at;
      longestRow = row;
      count = slicesInside;
      busyNanos = busy;
    }

    void finish() {
      if (longestRow >= 0) {
        sink.bucket(bucket, longestRow, count, busyNanos);
        longestRow = -1;
      }
    }
  }

  private Level level(int bits) {
    Level level = new Level(bits, levels.isEmpty() ? rows.length / 4 + 1 : levels.getLast().size);
    buckets(bits, Long.MIN_VALUE, Long.MAX_VALUE, level::add);
    return level.trimmed();
  }

  private int finestBits() {
    int low = 0;
    int high = COARSEST_BITS;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (bucketsOfRows(middle) > rows.length / 4) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private int bucketsOfRows(int bits) {
    int buckets = 0;
    long last = Long.MIN_VALUE;
    for (int row : rows) {
      long bucket = slices.startNanos(row) >> bits;
      if (bucket != last) {
        buckets++;
        last = bucket;
      }
    }
    return buckets;
  }

  private static int bucketsAt(int bits, Level below) {
    int shift = bits - below.bits;
    int buckets = 0;
    long last = Long.MIN_VALUE;
    for (int i = 0; i < below.size; i++) {
      long bucket = below.bucket[i] >> shift;
      if (bucket != last) {
        buckets++;
        last = bucket;
      }
    }
    return buckets;
  }
}
