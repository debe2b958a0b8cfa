/// Nsight Systems: the SQLite export of a report as a trace.
/// Only what the export says is read; rules and tables over it are the observe gear's.
/// Start reading at [dev.pitwall.recorders.nsight.NsightReader].
@NullMarked
package dev.pitwall.recorders.nsight;

import org.jspecify.annotations.NullMarked;
