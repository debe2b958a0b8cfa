/// The commands of `pitwall`, one class each, and their wiring.
/// No analysis, no arithmetic and no rendering may live here.
/// Start reading at [dev.pitwall.cli.Pitwall].
@NullMarked
package dev.pitwall.cli;

import org.jspecify.annotations.NullMarked;
