/// Predictions for tables of published runs: what a row describes, what we predict for it, and why
/// a row is not judged. No measured column of a row (throughput, step time, memory) may be read
/// here. Start at [TablePlanner].
@NullMarked
package dev.pitwall.scale.table;

import org.jspecify.annotations.NullMarked;
