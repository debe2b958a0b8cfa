/// How fast execution graphs are built and simulated, measured with JMH.
/// No accuracy is measured here.
/// Start reading at [dev.pitwall.bench.graph.GraphBenchmark].
@NullMarked
package dev.pitwall.bench.graph;

import org.jspecify.annotations.NullMarked;
