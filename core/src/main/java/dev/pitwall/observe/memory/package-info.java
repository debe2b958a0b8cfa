/// What a memory snapshot means: the timeline of allocated, active and reserved bytes, who holds
/// the peak, fragmentation, growth from step to step, and what other allocator settings would hold.
/// No file format and no printing may live here. Start reading at
/// [dev.pitwall.observe.memory.MemoryTimeline], then [dev.pitwall.observe.memory.MemoryRules].
@NullMarked
package dev.pitwall.observe.memory;

import org.jspecify.annotations.NullMarked;
