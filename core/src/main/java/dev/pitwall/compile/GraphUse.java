package dev.pitwall.compile;

/// A compiled graph as the trace calls it, found in the log by its cache key.
///
/// @param cacheKey key in the trace's annotation and in the log
/// @param role `FORWARD`, `BACKWARD`, `INFERENCE`, or empty where the log does not have it
/// @param function the compiled function, or empty
/// @param callsPerStep calls a step
/// @param hostMicrosPerCall host time of a call
public record GraphUse(
    String cacheKey, String role, String function, double callsPerStep, double hostMicrosPerCall) {}
