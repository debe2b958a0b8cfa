/// Snapshots of PyTorch's caching allocator: segments, blocks and the history of allocations.
/// Only what the file says belongs here; timelines, owners and verdicts are made in the observe
/// gear. Start reading at [dev.pitwall.trace.memory.MemorySnapshot].
@NullMarked
package dev.pitwall.trace.memory;

import org.jspecify.annotations.NullMarked;
