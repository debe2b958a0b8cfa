package dev.pitwall.compile;

import dev.pitwall.trace.compilelog.GraphBreak;

/// One line of the program that breaks the graph.
///
/// @param first the first break there, with its stack
/// @param count breaks there, over all ranks and compilations
/// @param skipsFrame whether a whole frame fell back to eager because of it
/// @param lostFrame the function that fell back, or empty
/// @param resumedFrames compilations of what came behind the breaks
/// @param resumedSeconds how long these took to compile
/// @param resumedGuardMicros one check of all their guards, as the compiler measured it
public record BreakSite(
    GraphBreak first,
    int count,
    boolean skipsFrame,
    String lostFrame,
    int resumedFrames,
    double resumedSeconds,
    double resumedGuardMicros,
    BreakAdvice advice) {
  public String place() {
    return first.file() + ":" + first.line();
  }
}
