/// A model of PyTorch's caching allocator, to replay a history under other settings.
/// It knows sizes and streams only; who allocated and why belongs to the observe gear.
/// Start reading at [dev.pitwall.simulate.memory.CachingAllocator].
@NullMarked
package dev.pitwall.simulate.memory;

import org.jspecify.annotations.NullMarked;
