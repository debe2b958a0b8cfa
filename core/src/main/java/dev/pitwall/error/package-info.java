/// The exception that carries a sentence for the user, its exit code, and a heap that ran out as
/// one. Nothing else may live here: no logging, no recovery, no formatting. Start reading at
/// [dev.pitwall.error.PitwallException].
@NullMarked
package dev.pitwall.error;

import org.jspecify.annotations.NullMarked;
