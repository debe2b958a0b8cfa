/// The ranks of one job side by side: clocks aligned, collectives matched, missing ones named, and
/// who keeps the others waiting in which step and why. Ranks are compared through their summaries,
/// so a thousand traces never have to be in memory at once. Start reading at
/// [dev.pitwall.observe.ranks.RankComparison].
@NullMarked
package dev.pitwall.observe.ranks;

import org.jspecify.annotations.NullMarked;
