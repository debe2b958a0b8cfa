/// How the compile gear's answers are written: text for the terminal, members of the JSON report
/// and its section of the HTML report. No verdict and no arithmetic beyond rounding may live here.
/// Start reading at [dev.pitwall.report.compile.OccupancyTable].
@NullMarked
package dev.pitwall.report.compile;

import org.jspecify.annotations.NullMarked;
