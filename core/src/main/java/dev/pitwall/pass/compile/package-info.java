/// `torch.compile` as a pass: from the operators of an eager trace to the kernels Inductor would
/// write, and the execution graph that results. No simulation, no finding and no reading of logs
/// may live here. Start reading at [dev.pitwall.pass.compile.CompileModePass], then
/// [dev.pitwall.pass.compile.FusionPlanner].
@NullMarked
package dev.pitwall.pass.compile;

import org.jspecify.annotations.NullMarked;
