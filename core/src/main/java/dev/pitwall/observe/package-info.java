/// Gear 1: where a step's time went, measured on the trace: breakdowns, idle causes, tables of
/// kernels, operators and annotations, and what was lost in recording.
/// Nothing here changes a graph, simulates, or formats text; rules that judge live in
/// [dev.pitwall.observe.rule].
/// Start reading at [dev.pitwall.observe.Observation].
@NullMarked
package dev.pitwall.observe;

import org.jspecify.annotations.NullMarked;
