package dev.pitwall.trace;

/// A sampled value over time. `timeNanos` ascends; both columns have the same length.
///
/// @param name what is counted, such as `SMs Active`
/// @param unit `%`, `bytes`, `MB/s`, `MHz`, …
/// @param device device index, -1 for the host
public record Counter(
    String name, String unit, int device, LongColumn timeNanos, DoubleColumn values) {}
