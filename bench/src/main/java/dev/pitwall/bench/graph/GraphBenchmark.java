package dev.pitwall.bench.graph;

import dev.pitwall.graph.EdgeKind;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.GraphBuilder;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.graph.Resource;
import dev.pitwall.simulate.Replay;
import dev.pitwall.trace.Category;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// A graph of a million nodes: two threads, four streams, half the nodes device work, event waits
/// and syncs among them. `build` is the time to make it node by node; `repetition` the time to
/// simulate it once (a million nodes: 100 ms are 10 million nodes a second).
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class GraphBenchmark {
  private static final int NODES = 1_000_000;

  private final Replay replay = new Replay(generated());

  @Benchmark
  public ExecutionGraph build() {
    return generated();
  }

  @Benchmark
  public long repetition() {
    replay.repeat();
    return replay.finishNanos();
  }

  private static ExecutionGraph generated() {
    SplittableRandom random = new SplittableRandom(1);
    GraphBuilder builder = new GraphBuilder();
    int main = builder.resource(Resource.thread("main"));
    int[] streams = new int[4];
    int[] last = new int[4];
    for (int stream = 0; stream < streams.length; stream++) {
      streams[stream] = builder.resource(Resource.stream("stream " + stream, 0));
    }
    int launchLabel = builder.label("launch");
    int kernelLabel = builder.label("kernel");
    for (int node = 0; node < NODES; node += 2) {
      int launch =
          builder.add(
              NodeKind.LAUNCH, main, random.nextInt(5_000), launchLabel, -1, 0, Category.RUNTIME);
      int stream = random.nextInt(16) == 0 ? 1 + random.nextInt(3) : 0;
      int kernel =
          builder.add(
              NodeKind.KERNEL,
              streams[stream],
              random.nextInt(9_000),
              kernelLabel,
              -1,
              0,
              Category.KERNEL);
      builder.edge(launch, kernel, EdgeKind.LAUNCH, 4_000);
      if (stream != 0 && last[0] > 0) {
        builder.edge(last[0], kernel, EdgeKind.EVENT_WAIT, 1_000);
      } else if (stream == 0 && last[1] > 0 && random.nextInt(64) == 0) {
        builder.edge(last[1], kernel, EdgeKind.EVENT_WAIT, 1_000);
      }
      last[stream] = kernel;
    }
    return builder.build();
  }
}
