/// What a rule says of a run: the one shape every gear speaks in, and what could not be judged.
/// No rule, no threshold and no rendering may live here.
/// Start reading at [dev.pitwall.finding.Finding].
@NullMarked
package dev.pitwall.finding;

import org.jspecify.annotations.NullMarked;
