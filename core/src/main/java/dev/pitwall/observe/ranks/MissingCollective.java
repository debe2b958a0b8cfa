package dev.pitwall.observe.ranks;

/// A collective that other ranks of its group ran in a step and this rank did not.
///
/// @param label the collective, for people
/// @param step the step
/// @param startNanos when the others ran it, on the reference's clock
public record MissingCollective(int rank, String label, int step, long startNanos) {}
