/// The fixes: one class a fix, each the change of a program's graph that follows when the user
/// makes the change. No simulation, no finding and no printing may live here; what a trace shows is
/// detected in [dev.pitwall.trace.pattern]. Start reading at [dev.pitwall.pass.fix.Fixes], then at
/// the shortest pass, [dev.pitwall.pass.fix.AllocatorThrash].
@NullMarked
package dev.pitwall.pass.fix;

import org.jspecify.annotations.NullMarked;
