/// The compile gear: what `torch.compile` captured, what that cost, what it would gain, and what
/// source code shows of it before it runs.
/// No reading of files, no change of a graph and no rendering may live here.
/// Start reading at [dev.pitwall.compile.CaptureAnalysis].
@NullMarked
package dev.pitwall.compile;

import org.jspecify.annotations.NullMarked;
