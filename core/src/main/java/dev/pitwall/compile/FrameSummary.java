package dev.pitwall.compile;

/// One function that was compiled, over all its compilations on one rank.
///
/// @param failures compilations that ended in an exception, so that the call ran eagerly
/// @param failure the exception of the last failure, or empty
/// @param seconds time of all, backward included
/// @param graphOperators operators of the last captured graph
/// @param guards conditions checked before each call of the newest compilation, -1 where not logged
/// @param guardMicros one check of them as the compiler measured it, -1 where not logged
public record FrameSummary(
    int rank,
    String function,
    String place,
    int compilations,
    int failures,
    String failure,
    int graphBreaks,
    double seconds,
    int graphOperators,
    int generatedKernels,
    int externCalls,
    int guards,
    double guardMicros) {}
