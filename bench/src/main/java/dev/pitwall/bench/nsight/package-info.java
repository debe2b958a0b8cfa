/// How fast, and in how much memory, a large export of Nsight Systems is analyzed.
/// The export is made here, by SQL, in the schema of the real ones; no recording is needed.
/// Start reading at [dev.pitwall.bench.nsight.NsightBoard].
@NullMarked
package dev.pitwall.bench.nsight;

import org.jspecify.annotations.NullMarked;
