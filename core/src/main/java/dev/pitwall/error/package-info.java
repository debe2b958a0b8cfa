/// The one exception that carries a sentence for the user, and the exit code that goes with it.
/// Nothing else may live here: no logging, no recovery, no formatting.
/// Start reading at [dev.pitwall.error.PitwallException].
@NullMarked
package dev.pitwall.error;

import org.jspecify.annotations.NullMarked;
