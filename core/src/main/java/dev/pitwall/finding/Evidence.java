package dev.pitwall.finding;

/// One slice of the recording that a finding rests on. Times are nanoseconds since the trace's
/// base. `rank` tells which trace of the job, -1 where there is one.
public record Evidence(int rank, String track, String name, long startNanos, long durationNanos) {}
