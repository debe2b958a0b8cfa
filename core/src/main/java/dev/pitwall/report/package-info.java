/// The report of a run as records, and what it looks like: on a terminal, as JSON
/// (`pitwall.report/1`) and as one HTML file. Nothing here measures, judges or simulates; names out
/// of a recording are text everywhere, never markup or terminal codes.
/// Start reading at [dev.pitwall.report.Report], then [dev.pitwall.report.ReportBuilder].
@NullMarked
package dev.pitwall.report;

import org.jspecify.annotations.NullMarked;
