/// Dumps of PyTorch's NCCL flight recorder, one a rank: the last collectives each rank enqueued.
/// Only what a dump says belongs here; matching ranks against each other is the observe gear's.
/// Start reading at [dev.pitwall.trace.flight.FlightDump].
@NullMarked
package dev.pitwall.trace.flight;

import org.jspecify.annotations.NullMarked;
