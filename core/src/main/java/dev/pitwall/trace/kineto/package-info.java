/// The reader of `torch.profiler` (Kineto) traces and of Chrome traces, which have the same shape:
/// from bytes to the columns of [dev.pitwall.trace.TraceBuilder], with every repair entered in the
/// ledger. Nothing here interprets what happened; steps, classes of kernels and causes live above.
/// Start reading at [dev.pitwall.trace.kineto.KinetoReader], then
/// [dev.pitwall.trace.kineto.EventWriter].
@NullMarked
package dev.pitwall.trace.kineto;

import org.jspecify.annotations.NullMarked;
