package dev.pitwall.observe;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.IntColumn;
import dev.pitwall.trace.LongColumn;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.pattern.ApiCalls;
import java.util.Arrays;
import java.util.List;

/// What a CPU thread does at each moment: a row of states that follow one another without overlap.
/// Before the first and after the last the thread runs nothing that was recorded.
///
/// @param endNanos when each state ends, ascending; each begins where the one before ends
/// @param state one of the constants here
record HostStates(LongColumn endNanos, IntColumn state) {
  /// States by weight: of threads taken together the weightiest state counts.
  static final int PYTHON = 0;

  static final int INPUT = 1;
  static final int WAIT = 2;
  static final int OPERATOR = 3;
  static final int LAUNCH = 4;

  private static final int STATES = 5;

  /// The states of one thread. Everything inside a wait for input is that wait; a call belongs to
  /// its kind, wherever it is made; annotations and Python frames belong to what encloses them.
  ///
  /// @param isInputWait by row
  static HostStates of(Trace trace, int track, ApiCalls calls, boolean[] isInputWait) {
    Slices slices = trace.slices();
    HostStates states = new HostStates(new LongColumn(), new IntColumn());
    long[] openUntil = new long[64];
    int[] openState = new int[64];
    int depth = 0;
    for (int row = trace.firstRow(track); row < trace.endRow(track); row++) {
      long start = slices.startNanos(row);
      while (depth > 0 && openUntil[depth - 1] <= start) {
        depth--;
        states.append(openUntil[depth], openState[depth]);
      }
      int around = depth == 0 ? PYTHON : openState[depth - 1];
      states.append(start, around);
      if (depth == openUntil.length) {
        openUntil = Arrays.copyOf(openUntil, 2 * depth);
        openState = Arrays.copyOf(openState, 2 * depth);
      }
      openUntil[depth] = slices.endNanos(row);
      openState[depth] =
          around == INPUT || isInputWait[row] ? INPUT : stateOf(slices, calls, row, around);
      depth++;
    }
    while (depth > 0) {
      depth--;
      states.append(openUntil[depth], openState[depth]);
    }
    return states;
  }

  private static int stateOf(Slices slices, ApiCalls calls, int row, int around) {
    Category category = slices.category(row);
    if (category.isApiCall()) {
      return calls.kind(row).waitsForDevice() ? WAIT : LAUNCH;
    }
    return category == Category.CPU_OP ? OPERATOR : around;
  }

  private void append(long until, int of) {
    int last = endNanos.size() - 1;
    if (last < 0 || until > endNanos.get(last)) {
      if (last >= 0 && state.get(last) == of) {
        endNanos.set(last, until);
      } else {
        endNanos.add(until);
        state.add(of);
      }
    }
  }

  /// Time in each state between each start and end, threads taken together: a moment counts once,
  /// for the weightiest state of any of them. What is in no other state is [#PYTHON].
  ///
  /// @param starts ascending, as `ends`; the ranges do not overlap
  /// @return nanoseconds by range and state
  static long[][] together(List<HostStates> threads, long[] starts, long[] ends) {
    long[][] nanos = new long[starts.length][STATES];
    int[] at = new int[threads.size()];
    for (int range = 0; range < starts.length; range++) {
      long now = starts[range];
      while (now < ends[range]) {
        long until = ends[range];
        int weightiest = PYTHON;
        for (int thread = 0; thread < at.length; thread++) {
          HostStates states = threads.get(thread);
          while (at[thread] < states.endNanos.size() && states.endNanos.get(at[thread]) <= now) {
            at[thread]++;
          }
          if (at[thread] < states.endNanos.size()) {
            until = Math.min(until, states.endNanos.get(at[thread]));
            weightiest = Math.max(weightiest, states.state.get(at[thread]));
          }
        }
        nanos[range][weightiest] += until - now;
        now = until;
      }
    }
    return nanos;
  }
}
