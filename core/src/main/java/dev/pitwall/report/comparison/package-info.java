/// The comparison of two runs, and the gate on it, as text and as JSON.
/// No comparison is made here.
/// Start reading at [dev.pitwall.report.comparison.ComparisonText].
@NullMarked
package dev.pitwall.report.comparison;

import org.jspecify.annotations.NullMarked;
