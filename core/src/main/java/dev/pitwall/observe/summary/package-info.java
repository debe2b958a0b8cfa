/// The summary tables that Nsight Systems users know by name, by that tool's definitions.
/// They rank whole recordings, so nothing here knows steps, causes or fixes.
/// Start reading at [dev.pitwall.observe.summary.SummaryTable].
@NullMarked
package dev.pitwall.observe.summary;

import org.jspecify.annotations.NullMarked;
