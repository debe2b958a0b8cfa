package dev.pitwall.simulate;

import dev.pitwall.graph.ExecutionGraph;

/// A graph repeated back to back until one repetition takes as long as the one before: what a
/// training loop settles to.
///
/// @param stepNanos time of one step, the mean of the last repetitions over the steps they span
/// @param repetitions how many were simulated
/// @param converged whether the last repetitions agreed within 0.1 %; otherwise the limit was
///     reached
/// @param replay the replay, standing at the last repetition
public record SteadyState(double stepNanos, int repetitions, boolean converged, Replay replay) {
  private static final int LEAST_REPETITIONS = 4;
  private static final int MOST_REPETITIONS = 24;
  private static final int AGREEING = 3;
  private static final double TOLERANCE = 1e-3;

  public static SteadyState of(ExecutionGraph graph) {
    Replay replay = new Replay(graph);
    long[] finish = new long[MOST_REPETITIONS + 1];
    int repetition = 0;
    boolean converged = false;
    while (repetition < MOST_REPETITIONS && !converged) {
      replay.repeat();
      finish[++repetition] = replay.finishNanos();
      converged = repetition >= LEAST_REPETITIONS && agree(finish, repetition);
    }
    int span = Math.min(converged ? AGREEING : MOST_REPETITIONS / 2, repetition - 1);
    double period = (finish[repetition] - finish[repetition - span]) / (double) span;
    return new SteadyState(period / graph.steps(), repetition, converged, replay);
  }

  private static boolean agree(long[] finish, int last) {
    long shortest = Long.MAX_VALUE;
    long longest = 0;
    for (int repetition = last; repetition > last - AGREEING; repetition--) {
      long period = finish[repetition] - finish[repetition - 1];
      shortest = Math.min(shortest, period);
      longest = Math.max(longest, period);
    }
    return longest - shortest <= TOLERANCE * longest;
  }
}
