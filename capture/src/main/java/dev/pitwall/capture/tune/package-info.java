/// Tries variants of a program against each other: runs them interleaved, compares steps, losses
/// and memory, and says which one pays. No change of a program may live here: that is `variant.py`;
/// and no analysis of traces. Start reading at [dev.pitwall.capture.tune.TuneStudy].
@NullMarked
package dev.pitwall.capture.tune;

import org.jspecify.annotations.NullMarked;
