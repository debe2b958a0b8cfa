package dev.pitwall.compile;

/// Something that varied and made a frame compile again.
///
/// @param function the compiled function
/// @param place `file:line` of the function
/// @param guard the first failing guard, as logged
/// @param count compilations because of this
/// @param seconds time of these compilations, backward included
/// @param largest compilations of the frame in all, the first included
/// @param hitsLimit whether the frame reached the limit of recompiles, after which it stays eager
public record RecompileCause(
    String function,
    String place,
    String guard,
    Varied varied,
    int count,
    double seconds,
    int largest,
    boolean hitsLimit) {}
