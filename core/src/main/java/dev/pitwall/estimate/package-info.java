/// Numbers that were not read off a recording, with their interval and where they come from.
/// No unit conversion, no statistics of samples and no formatting may live here.
/// Start reading at [dev.pitwall.estimate.Estimate].
@NullMarked
package dev.pitwall.estimate;

import org.jspecify.annotations.NullMarked;
