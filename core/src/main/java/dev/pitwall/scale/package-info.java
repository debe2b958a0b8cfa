/// The third gear: what DDP, FSDP and ZeRO do to a model on a cluster, in memory and in time,
/// before anyone pays for it. Models, clusters, strategies, the cost of a step, the planner and
/// what it emits live here; nothing here reads a trace file or prints. Start at [Planner].
@NullMarked
package dev.pitwall.scale;

import org.jspecify.annotations.NullMarked;
