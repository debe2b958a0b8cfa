/// Decompression of zstd, found by [dev.pitwall.trace.TraceInput] as a service. Nothing else lives
/// here; formats inside the compression are read elsewhere.
/// Start reading at [dev.pitwall.recorders.zstd.ZstdCompression].
@NullMarked
package dev.pitwall.recorders.zstd;

import org.jspecify.annotations.NullMarked;
