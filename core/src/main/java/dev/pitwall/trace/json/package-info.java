/// A byte scanner for JSON that is damaged, huge or both: it reads through a sliding window and
/// never holds a document. It knows nothing of traces; numbers and texts leave as primitives or as
/// ids in [dev.pitwall.trace.Names]. Start reading at [dev.pitwall.trace.json.JsonScanner], then
/// [dev.pitwall.trace.json.ByteWindow].
@NullMarked
package dev.pitwall.trace.json;

import org.jspecify.annotations.NullMarked;
