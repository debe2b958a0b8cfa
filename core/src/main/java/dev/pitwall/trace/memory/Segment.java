package dev.pitwall.trace.memory;

import java.util.List;

/// A range of device memory that the caching allocator got from the driver, with its blocks in
/// order of address. Sizes in bytes.
///
/// @param small whether it serves allocations of at most 1 MiB
/// @param expandable whether it grows by mapping pages
public record Segment(
    int device,
    long address,
    long totalBytes,
    long allocatedBytes,
    long activeBytes,
    long requestedBytes,
    long stream,
    boolean small,
    boolean expandable,
    List<Block> blocks) {
  public Segment {
    blocks = List.copyOf(blocks);
  }

  /// A block of a segment.
  ///
  /// @param requestedBytes what the program asked for, 0 for a free block
  /// @param stack index in [MemorySnapshot#stacks], -1 where not recorded
  public record Block(long address, long bytes, long requestedBytes, State state, int stack) {}

  /// Whether a block is in use. A block that waits for a stream to pass is active but no longer
  /// allocated.
  public enum State {
    ALLOCATED,
    PENDING_FREE,
    FREE
  }
}
