/// Remembers what was predicted for this user's programs and what came of it.
/// No prediction is made here and nothing is simulated; files are small JSON lines.
/// Start reading at [dev.pitwall.study.ledger.Ledger].
@NullMarked
package dev.pitwall.study.ledger;

import org.jspecify.annotations.NullMarked;
