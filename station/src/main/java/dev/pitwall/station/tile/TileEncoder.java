package dev.pitwall.station.tile;

import dev.pitwall.trace.Slices;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/// One tile of a track as bytes: all marks of 512 buckets of `2^bits` nanoseconds.
///
/// A mark is either one slice, where it is at least a bucket long, or everything shorter that
/// starts in one bucket. Little endian: `int track, int marks`, then as columns over the marks
///
/// | column | type | what |
/// | --- | --- | --- |
/// | start, end | float32 | in tile widths from the tile's start; a slice that began earlier is
/// negative |
/// | row | int32 | the slice, or the longest of the bucket |
/// | name | int32 | its name id |
/// | count | int32 | slices in the mark |
/// | kind | uint8 | [MarkKind] of that slice |
/// | lane | uint8 | |
/// | busy | uint8 | 255 for one slice, else the covered share of the bucket |
/// | spare | uint8 | 0 |
///
/// Marks ascend by lane, then start.
final class TileEncoder {
  /// Buckets of a tile as a power of two; the page has the same number (`tiles.js`).
  static final int BUCKET_BITS = 9;

  private final Slices slices;
  private final MarkKinds kinds;
  private final int bits;
  private final long tileStart;
  private final long tileEnd;
  private final double tileNanos;

  private float[] start = new float[256];
  private float[] end = new float[256];
  private int[] row = new int[256];
  private int[] count = new int[256];
  private int[] packed = new int[256];
  private int marks;

  /// @param baseNanos time of the trace at which the run's time is 0
  TileEncoder(Slices slices, MarkKinds kinds, int bits, long index, long baseNanos) {
    this.slices = slices;
    this.kinds = kinds;
    this.bits = bits;
    // The pyramid's buckets lie on multiples of 2^bits of the trace's time, the tile's on the
    // run's:
    // a tile takes the buckets that start inside it.
    tileStart = (index << (bits + BUCKET_BITS)) + baseNanos;
    tileEnd = tileStart + (1L << (bits + BUCKET_BITS));
    tileNanos = (double) (1L << (bits + BUCKET_BITS));
  }

  ByteBuffer encode(int track, LanePyramid[] lanes) {
    for (int lane = 0; lane < lanes.length; lane++) {
      addLane(lanes[lane], lane);
    }
    ByteBuffer out = ByteBuffer.allocate(8 + marks * 24).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(track).putInt(marks);
    out.asFloatBuffer().put(start, 0, marks).put(end, 0, marks);
    out.position(out.position() + marks * 8);
    out.asIntBuffer().put(row, 0, marks);
    out.position(out.position() + marks * 4);
    for (int i = 0; i < marks; i++) {
      out.putInt(slices.nameId(row[i]));
    }
    out.asIntBuffer().put(count, 0, marks);
    out.position(out.position() + marks * 4);
    for (int shift = 0; shift < 32; shift += 8) {
      for (int i = 0; i < marks; i++) {
        out.put((byte) (packed[i] >> shift));
      }
    }
    out.position(out.capacity());
    return out.flip();
  }

  private void addLane(LanePyramid lane, int number) {
    long bucketNanos = 1L << bits;
    int before = lane.firstAtOrAfter(ceiling(tileStart)) - 1;
    if (before >= 0) {
      int earlier = lane.rows()[before];
      if (slices.endNanos(earlier) > tileStart && slices.durationNanos(earlier) >= bucketNanos) {
        add(number, slices.startNanos(earlier), slices.endNanos(earlier), earlier, 1, 255);
      }
    }
    lane.buckets(
        bits,
        ceiling(tileStart),
        ceiling(tileEnd),
        (bucket, longest, slicesInside, busyNanos) -> {
          long longestNanos = slices.durationNanos(longest);
          if (slicesInside == 1 || longestNanos >= bucketNanos) {
            long others = busyNanos - longestNanos;
            if (slicesInside > 1 && others > 0) {
              addMerged(number, bucket, longest, slicesInside - 1, others);
            }
            add(number, slices.startNanos(longest), slices.endNanos(longest), longest, 1, 255);
          } else {
            addMerged(number, bucket, longest, slicesInside, busyNanos);
          }
        });
  }

  private long ceiling(long timeNanos) {
    return -(-timeNanos >> bits) << bits;
  }

  private void addMerged(int lane, long bucket, int longest, int slicesInside, long busyNanos) {
    long bucketNanos = 1L << bits;
    int busy = (int) Math.min(254, Math.max(24, busyNanos * 254 / bucketNanos));
    add(lane, bucket << bits, (bucket + 1) << bits, longest, slicesInside, busy);
  }

  private void add(int lane, long from, long to, int sliceRow, int slicesInside, int busy) {
    if (marks == start.length) {
      start = Arrays.copyOf(start, marks * 2);
      end = Arrays.copyOf(end, marks * 2);
      row = Arrays.copyOf(row, marks * 2);
      count = Arrays.copyOf(count, marks * 2);
      packed = Arrays.copyOf(packed, marks * 2);
    }
    start[marks] = (float) ((from - tileStart) / tileNanos);
    end[marks] = (float) ((to - tileStart) / tileNanos);
    row[marks] = sliceRow;
    count[marks] = slicesInside;
    packed[marks] = kinds.of(sliceRow).ordinal() | lane << 8 | busy << 16;
    marks++;
  }
}
