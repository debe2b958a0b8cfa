package dev.pitwall.trace.compilelog;

/// A span of the compiler's own work (`chromium_event`).
///
/// @param name the compiler's name, such as `Scheduler.codegen`
/// @param compileId as logged, `0/0`, or empty
/// @param startMicros microseconds since 1970
/// @param durationMicros with everything inside
/// @param exclusiveMicros without the spans inside
/// @param depth 0 for the outermost
public record CompilePhase(
    String name,
    String compileId,
    double startMicros,
    double durationMicros,
    double exclusiveMicros,
    int depth) {}
