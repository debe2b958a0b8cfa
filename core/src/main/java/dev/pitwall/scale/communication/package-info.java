/// What a recorded job's collectives reach: for each process group exposed time, bus bandwidth
/// against the link's best, waiting for late ranks, small messages, and what bucket size or
/// wrapping would change. Reads traces already indexed; prints nothing. Start at [GroupTraffic].
@NullMarked
package dev.pitwall.scale.communication;

import org.jspecify.annotations.NullMarked;
