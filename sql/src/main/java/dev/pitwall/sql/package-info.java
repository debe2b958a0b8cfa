/// SQL over a trace: DuckDB reads the trace's own arrays through table functions, so nothing is
/// loaded; the views are documented in `docs/sql.md`. What a number means is decided elsewhere.
/// Start reading at [dev.pitwall.sql.TraceDatabase].
@NullMarked
package dev.pitwall.sql;

import org.jspecify.annotations.NullMarked;
