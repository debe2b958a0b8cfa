/// What happened: slices, instants, counters and links of one rank's recording as primitive
/// columns, with interned names, tracks and the ledger of what was lost. Nothing here knows a
/// graph, a rule or a report, and no row is ever an object; readers of one format each live in the
/// packages below. Start reading at [dev.pitwall.trace.Trace], then [dev.pitwall.trace.Slices].
@NullMarked
package dev.pitwall.trace;

import org.jspecify.annotations.NullMarked;
