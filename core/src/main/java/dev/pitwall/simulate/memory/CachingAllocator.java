package dev.pitwall.simulate.memory;

import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// PyTorch's caching allocator for one device: segments from the driver, split into blocks, freed
/// blocks merged with free neighbours and handed out again, best fit first.
///
/// Source of sizes and rules: `c10/cuda/CUDACachingAllocator.cpp` and `c10/core/AllocatorConfig.h`
/// (`round_size`, `get_allocation_size`, `should_split`, `get_free_block`, `free_block`). Not
/// modelled: `roundup_power2_divisions`, `garbage_collection_threshold` and graph pools.
public final class CachingAllocator {
  private static final long SMALLEST_BLOCK_BYTES = 512;
  private static final long SMALL_BYTES = 1 << 20;
  private static final long SMALL_SEGMENT_BYTES = 2 << 20;
  private static final long LARGE_SEGMENT_BYTES = 20 << 20;
  private static final long SMALLEST_OWN_SEGMENT_BYTES = 10 << 20;
  private static final long SEGMENT_ROUNDING_BYTES = 2 << 20;

  /// A block handed out; give it back to [#free].
  public static final class Block {
    private final Segment segment;
    private final long stream;
    private final long order;
    private long bytes;
    private boolean free;
    private @Nullable Block previous;
    private @Nullable Block next;

    private Block(Segment segment, long stream, long order, long bytes) {
      this.segment = segment;
      this.stream = stream;
      this.order = order;
      this.bytes = bytes;
    }

    /// Bytes the block takes, at least what was asked for.
    public long bytes() {
      return bytes;
    }
  }

  private static final class Segment {
    final boolean small;
    long bytes;
    Block first;

    Segment(boolean small, long stream, long order, long bytes) {
      this.small = small;
      this.bytes = bytes;
      this.first = new Block(this, stream, order, bytes);
    }
  }

  private static final Comparator<Block> BEST_FIT_ORDER =
      Comparator.<Block>comparingLong(block -> block.stream)
          .thenComparingLong(block -> block.bytes)
          .thenComparingLong(block -> block.order);

  private final boolean expandable;
  private final long largestSplitBytes;
  private final TreeSet<Block> freeSmall = new TreeSet<>(BEST_FIT_ORDER);
  private final TreeSet<Block> freeLarge = new TreeSet<>(BEST_FIT_ORDER);
  private final Set<Segment> segments = new LinkedHashSet<>();
  private long nextOrder;
  private long reservedBytes;
  private long peakReservedBytes;

  /// @param expandable `expandable_segments:True`: a pool of a stream is one segment that grows by
  ///     pages
  /// @param largestSplitBytes `max_split_size`, or [Long#MAX_VALUE] where it is not set
  public CachingAllocator(boolean expandable, long largestSplitBytes) {
    this.expandable = expandable;
    this.largestSplitBytes = largestSplitBytes;
  }

  /// Bytes that an allocation of this size takes at least.
  public static long roundedBytes(long requestedBytes) {
    return Math.max(
        SMALLEST_BLOCK_BYTES, roundUp(Math.max(requestedBytes, 1), SMALLEST_BLOCK_BYTES));
  }

  /// Bytes of a new segment for a block of this rounded size.
  public static long segmentBytes(long roundedBytes) {
    if (roundedBytes <= SMALL_BYTES) {
      return SMALL_SEGMENT_BYTES;
    }
    return roundedBytes < SMALLEST_OWN_SEGMENT_BYTES
        ? LARGE_SEGMENT_BYTES
        : roundUp(roundedBytes, SEGMENT_ROUNDING_BYTES);
  }

  /// Hands out a block, from the cache where one fits, else from a new segment.
  public Block allocate(long requestedBytes, long stream) {
    long bytes = roundedBytes(requestedBytes);
    boolean small = bytes <= SMALL_BYTES;
    Block found = takeBestFit(bytes, stream, small);
    if (found == null) {
      found =
          expandable ? grow(bytes, stream, small) : newSegment(segmentBytes(bytes), stream, small);
    }
    split(found, bytes);
    found.free = false;
    return found;
  }

  /// Takes a block back and merges it with free neighbours.
  public void free(Block block) {
    if (block.free) {
      throw new IllegalArgumentException("the block is free already");
    }
    block.free = true;
    Block merged = mergeWithNext(block);
    Block previous = merged.previous;
    if (previous != null && previous.free) {
      pool(previous.segment.small).remove(previous);
      merged = mergeWithNext(previous);
    }
    pool(merged.segment.small).add(merged);
  }

  /// Gives every segment that is wholly free back to the driver (`torch.cuda.empty_cache()`); of an
  /// expandable segment the whole pages of its free blocks.
  public void emptyCache() {
    for (Iterator<Segment> all = segments.iterator(); all.hasNext(); ) {
      Segment segment = all.next();
      if (segment.first.free && segment.first.next == null) {
        pool(segment.small).remove(segment.first);
        reservedBytes -= segment.bytes;
        all.remove();
      } else if (expandable) {
        unmapFreePages(segment);
      }
    }
  }

  private void unmapFreePages(Segment segment) {
    long page = segment.small ? SMALL_SEGMENT_BYTES : LARGE_SEGMENT_BYTES;
    for (Block block = segment.first; block != null; block = block.next) {
      // One page less than fits: a free block rarely begins and ends on a page.
      long unmapped = block.free ? Math.max(0, block.bytes / page - 1) * page : 0;
      if (unmapped > 0) {
        pool(segment.small).remove(block);
        block.bytes -= unmapped;
        pool(segment.small).add(block);
        segment.bytes -= unmapped;
        reservedBytes -= unmapped;
      }
    }
  }

  /// Lays out a segment that existed before the replay began. The blocks' sizes must add up to no
  /// more than the segment; `liveBytes[i]` lies at `offsets[i]`, ascending.
  ///
  /// @return the live blocks, in the order given
  public Block[] adoptSegment(
      boolean small, long stream, long segmentBytes, long[] offsets, long[] liveBytes) {
    Segment segment = new Segment(small, stream, nextOrder, segmentBytes);
    nextOrder += segmentBytes + 1;
    segments.add(segment);
    reserve(segmentBytes);
    Block[] live = new Block[offsets.length];
    Block rest = segment.first;
    long restOffset = 0;
    for (int i = 0; i < offsets.length; i++) {
      if (offsets[i] > restOffset) {
        Block gap = rest;
        rest = cut(gap, offsets[i] - restOffset);
        gap.free = true;
        pool(small).add(gap);
      }
      live[i] = rest;
      restOffset = offsets[i] + liveBytes[i];
      if (restOffset < segmentBytes) {
        rest = cut(rest, liveBytes[i]);
      }
    }
    if (restOffset < segmentBytes) {
      rest.free = true;
      pool(small).add(rest);
    }
    return live;
  }

  /// Bytes held from the driver now.
  public long reservedBytes() {
    return reservedBytes;
  }

  /// The most bytes held from the driver so far.
  public long peakReservedBytes() {
    return peakReservedBytes;
  }

  private @Nullable Block takeBestFit(long bytes, long stream, boolean small) {
    TreeSet<Block> pool = pool(small);
    Block wanted = new Block(new Segment(small, stream, 0, 0), stream, -1, bytes);
    Block found = pool.ceiling(wanted);
    if (found == null || found.stream != stream) {
      return null;
    }
    if (bytes < largestSplitBytes && found.bytes >= largestSplitBytes) {
      return null;
    }
    if (bytes >= largestSplitBytes && found.bytes >= bytes + LARGE_SEGMENT_BYTES) {
      return null;
    }
    pool.remove(found);
    return found;
  }

  private Block newSegment(long bytes, long stream, boolean small) {
    Segment segment = new Segment(small, stream, nextOrder, bytes);
    nextOrder += bytes + 1;
    segments.add(segment);
    reserve(bytes);
    return segment.first;
  }

  /// Maps more pages behind the last block of the stream's segment: only what its free tail lacks.
  private Block grow(long bytes, long stream, boolean small) {
    long page = small ? SMALL_SEGMENT_BYTES : LARGE_SEGMENT_BYTES;
    for (Segment segment : segments) {
      if (segment.small == small && segment.first.stream == stream) {
        Block tail = segment.first;
        while (tail.next != null) {
          tail = tail.next;
        }
        long missing = tail.free ? bytes - tail.bytes : bytes;
        long mapped = roundUp(missing, page);
        segment.bytes += mapped;
        reserve(mapped);
        if (tail.free) {
          pool(small).remove(tail);
          tail.bytes += mapped;
          return tail;
        }
        Block added = new Block(segment, stream, tail.order + tail.bytes, mapped);
        added.previous = tail;
        tail.next = added;
        return added;
      }
    }
    // The virtual range is as long as the device, so later segments sort behind it.
    Block first = newSegment(roundUp(bytes, page), stream, small);
    nextOrder += 1L << 42;
    return first;
  }

  private void split(Block block, long bytes) {
    long remaining = block.bytes - bytes;
    boolean worthIt =
        block.segment.small || expandable
            ? remaining >= SMALLEST_BLOCK_BYTES
            : bytes < largestSplitBytes && remaining > SMALL_BYTES;
    if (worthIt) {
      Block rest = cut(block, bytes);
      rest.free = true;
      pool(block.segment.small).add(rest);
    }
  }

  /// Shortens `block` to `bytes` and returns the rest, in use until the caller says otherwise.
  private static Block cut(Block block, long bytes) {
    Block rest = new Block(block.segment, block.stream, block.order + bytes, block.bytes - bytes);
    rest.previous = block;
    rest.next = block.next;
    if (rest.next != null) {
      rest.next.previous = rest;
    }
    block.next = rest;
    block.bytes = bytes;
    return rest;
  }

  private Block mergeWithNext(Block block) {
    Block next = block.next;
    if (next != null && next.free) {
      pool(next.segment.small).remove(next);
      block.bytes += next.bytes;
      block.next = next.next;
      if (block.next != null) {
        block.next.previous = block;
      }
    }
    return block;
  }

  private void reserve(long bytes) {
    reservedBytes += bytes;
    peakReservedBytes = Math.max(peakReservedBytes, reservedBytes);
  }

  private TreeSet<Block> pool(boolean small) {
    return small ? freeSmall : freeLarge;
  }

  private static long roundUp(long value, long multiple) {
    return (value + multiple - 1) / multiple * multiple;
  }
}
