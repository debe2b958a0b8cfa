/// Programs that measure Pitwall from outside, as whole processes, and print a table. Nothing else
/// depends on this package and no product code may live here.
/// Start reading at [dev.pitwall.bench.SpeedBoard].
@NullMarked
package dev.pitwall.bench;

import org.jspecify.annotations.NullMarked;
