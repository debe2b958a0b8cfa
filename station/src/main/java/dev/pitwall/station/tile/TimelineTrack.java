package dev.pitwall.station.tile;

import dev.pitwall.trace.Track;

/// A track of a run as the timeline shows it.
///
/// @param id index in [Timeline#tracks]
/// @param rankIndex which of the run's traces
/// @param track the track in that trace
/// @param lanes how many lanes it takes, at least 1
/// @param slices how many slices lie on it
/// @param busyNanos sum of the durations on its lowest lane
public record TimelineTrack(
    int id, int rankIndex, Track track, int lanes, int slices, long busyNanos) {}
