/// The accuracy board: what Pitwall predicts against what was measured. Nothing here is part of the
/// product; no estimate is corrected here.
/// Start reading at [dev.pitwall.bench.accuracy.AccuracyBoard].
@NullMarked
package dev.pitwall.bench.accuracy;

import org.jspecify.annotations.NullMarked;
