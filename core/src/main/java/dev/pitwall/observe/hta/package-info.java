/// The numbers of Holistic Trace Analysis 0.6.1 (commit f4d0062c), by its definitions and in its
/// arithmetic, so that its users can compare. Where these definitions lose time Pitwall's own
/// numbers differ, and `docs/hta.md` says why; nothing else in Pitwall may use this package's.
/// Start reading at [dev.pitwall.observe.hta.HtaBreakdown].
@NullMarked
package dev.pitwall.observe.hta;

import org.jspecify.annotations.NullMarked;
