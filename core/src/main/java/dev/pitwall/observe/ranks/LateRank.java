package dev.pitwall.observe.ranks;

/// The rank that cost the others most in a step.
///
/// @param waitedNanos what they waited for it in collectives with nothing else to run
/// @param cause why it was late, if it was
public record LateRank(int step, int rank, long waitedNanos, Straggler.Cause cause) {}
