/// Two recordings of one job on one clock: a trace of torch.profiler with an export of Nsight
/// Systems, or a trace with a log of device samples. What the joined recording means is judged
/// elsewhere. Start reading at [dev.pitwall.trace.join.ClockAlignment].
@NullMarked
package dev.pitwall.trace.join;

import org.jspecify.annotations.NullMarked;
