/// From an execution graph to times: replay, steady state, critical path, slack.
/// Nothing here changes a graph or judges it; no cost of any hardware is known here.
/// Start reading at [dev.pitwall.simulate.Replay], then [dev.pitwall.simulate.SteadyState].
@NullMarked
package dev.pitwall.simulate;

import org.jspecify.annotations.NullMarked;
