/// Small JSON: a tree for configuration, payloads and tests, and a writer for what we print.
/// Recordings do not pass through here; they have a streaming scanner of their own.
/// Start reading at [dev.pitwall.json.Json].
@NullMarked
package dev.pitwall.json;

import org.jspecify.annotations.NullMarked;
