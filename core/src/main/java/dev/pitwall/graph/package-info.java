/// The execution graph of training steps: nodes on resources, edges with lags, in primitive arrays.
/// No simulation, no cost model and no rule may live here; a change of a graph is a pass elsewhere.
/// Start reading at [dev.pitwall.graph.ExecutionGraph], then [dev.pitwall.graph.GraphBuilder].
@NullMarked
package dev.pitwall.graph;

import org.jspecify.annotations.NullMarked;
