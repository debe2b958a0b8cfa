/// The contract of a pass: a change of the program as a change of its execution graph. No
/// simulation, no finding and no printing may live here; the passes of each gear live in the
/// packages below. Start reading at [dev.pitwall.pass.Pass].
@NullMarked
package dev.pitwall.pass;

import org.jspecify.annotations.NullMarked;
