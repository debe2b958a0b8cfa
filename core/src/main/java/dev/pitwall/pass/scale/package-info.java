/// Strategies of distributed training as changes of a step's graph: each pass inserts the real
/// mechanics of one strategy (collectives, the host work that issues them, the waits) on the right
/// streams. No simulation and no search live here. Start at [LayeredStep], then [DataParallelPass].
@NullMarked
package dev.pitwall.pass.scale;

import org.jspecify.annotations.NullMarked;
