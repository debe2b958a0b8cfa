package dev.pitwall.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.pitwall.graph.EdgeKind;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.GraphBuilder;
import dev.pitwall.graph.GraphVerifier;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.graph.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Laws of the simulator on generated training steps. Every failure names its seed.
class SimulationLawsTest {
  private static final int GRAPHS = 300;

  /// A step like those of a training loop: one or two threads, up to three streams, launches,
  /// syncs, event waits, a launch queue that is often small enough to fill.
  static ExecutionGraph generated(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    GraphBuilder builder = new GraphBuilder();
    int main = builder.resource(Resource.thread("main"));
    int other = builder.resource(Resource.thread("autograd"));
    List<Integer> streams = new ArrayList<>();
    for (int stream = 0; stream <= random.nextInt(3); stream++) {
      streams.add(builder.resource(Resource.stream("stream " + stream, 0)));
    }
    builder.launchQueueDepth(2 + random.nextInt(60));
    List<Integer> device = new ArrayList<>();
    int thread = main;
    int last = builder.add(NodeKind.CPU_SEGMENT, main, random.nextInt(1_000), "begin");
    int events = 5 + random.nextInt(120);
    for (int event = 0; event < events; event++) {
      int choice = random.nextInt(10);
      if (choice < 3) {
        last = builder.add(NodeKind.CPU_SEGMENT, thread, random.nextInt(20_000), "python");
      } else if (choice < 8 || device.isEmpty()) {
        last = builder.add(NodeKind.LAUNCH, thread, 1 + random.nextInt(9_000), "launch");
        int stream = streams.get(random.nextInt(streams.size()));
        int kernel = builder.add(NodeKind.KERNEL, stream, random.nextInt(60_000), "kernel");
        builder.setOrderLagNanos(kernel, random.nextInt(3_000) - 1_000);
        builder.edge(last, kernel, EdgeKind.LAUNCH, random.nextInt(8_000));
        if (!device.isEmpty() && random.nextInt(4) == 0) {
          builder.edge(
              device.get(random.nextInt(device.size())), kernel, EdgeKind.EVENT_WAIT, 1_000);
        }
        device.add(kernel);
      } else if (choice == 8) {
        last = builder.add(NodeKind.HOST_WAIT, thread, random.nextInt(5_000), "sync");
        builder.edge(device.getLast(), last, EdgeKind.HOST_SYNC, random.nextInt(3_000));
      } else {
        int next = thread == main ? other : main;
        int woken = builder.add(NodeKind.CPU_SEGMENT, next, random.nextInt(2_000), "woken");
        builder.edge(last, woken, EdgeKind.HAND_OVER, random.nextInt(2_000));
        last = woken;
        thread = next;
      }
    }
    int end = builder.add(NodeKind.HOST_WAIT, main, 0, "end of step");
    builder.edge(last, end, EdgeKind.HAND_OVER, 0);
    return builder.build();
  }

  private static long finish(ExecutionGraph graph, int repetitions) {
    Replay replay = new Replay(graph);
    for (int repetition = 0; repetition < repetitions; repetition++) {
      replay.repeat();
    }
    return replay.finishNanos();
  }

  private static long[] durations(ExecutionGraph graph) {
    long[] durations = new long[graph.nodes()];
    for (int node = 0; node < durations.length; node++) {
      durations[node] = graph.durationNanos(node);
    }
    return durations;
  }

  @Test
  void generatedGraphsObeyTheVerifier() {
    for (long seed = 0; seed < GRAPHS; seed++) {
      assertThat(GraphVerifier.faults(generated(seed))).as("seed %d", seed).isEmpty();
    }
  }

  @Test
  void moreWorkNeverMakesStepsShorterAndLessNeverLonger() {
    for (long seed = 0; seed < GRAPHS; seed++) {
      SplittableRandom random = new SplittableRandom(seed ^ 0x5DEECE66DL);
      ExecutionGraph graph = generated(seed);
      long[] more = durations(graph);
      long[] less = durations(graph);
      for (int change = 0; change < 8; change++) {
        more[random.nextInt(more.length)] += random.nextInt(50_000);
        int node = random.nextInt(less.length);
        less[node] = random.nextLong(less[node] + 1);
      }
      for (int repetitions : new int[] {1, 2, 7}) {
        long as = finish(graph, repetitions);
        assertThat(finish(graph.withDurationsNanos(more), repetitions))
            .as("seed %d, more work", seed)
            .isGreaterThanOrEqualTo(as);
        assertThat(finish(graph.withDurationsNanos(less), repetitions))
            .as("seed %d, less work", seed)
            .isLessThanOrEqualTo(as);
      }
    }
  }

  @Test
  void repeatedStepsSettle() {
    for (long seed = 0; seed < GRAPHS; seed++) {
      ExecutionGraph graph = generated(seed);
      double step = SteadyState.of(graph).stepNanos();
      double longRun = (finish(graph, 160) - finish(graph, 80)) / 80.0;
      assertThat(step).as("seed %d", seed).isCloseTo(longRun, within(0.02 * longRun + 1));
    }
  }

  @Test
  void theCriticalPathIsTheWholeRepetition() {
    for (long seed = 0; seed < GRAPHS; seed++) {
      SteadyState steady = SteadyState.of(generated(seed));
      CriticalPath path = CriticalPath.of(steady.replay());
      long at = path.startNanos();
      for (CriticalPath.Piece piece : path.pieces()) {
        assertThat(piece.startNanos()).as("seed %d", seed).isEqualTo(at);
        at = piece.endNanos();
      }
      assertThat(at).as("seed %d", seed).isEqualTo(path.endNanos());
      assertThat(path.endNanos()).isEqualTo(steady.replay().finishNanos());
    }
  }

  @Test
  void slackIsNeverNegative() {
    for (long seed = 0; seed < GRAPHS; seed++) {
      ExecutionGraph graph = generated(seed);
      Replay replay = new Replay(graph);
      for (int repetition = 0; repetition < 6; repetition++) {
        replay.repeat();
      }
      Slack slack = Slack.of(replay);
      for (int node = 0; node < graph.nodes(); node++) {
        assertThat(slack.nanos(node)).as("seed %d", seed).isGreaterThanOrEqualTo(0);
      }
    }
  }

  @Test
  void editingNothingChangesNoTime() {
    for (long seed = 0; seed < GRAPHS; seed++) {
      ExecutionGraph graph = generated(seed);
      assertThat(finish(graph.edit().build(), 5)).as("seed %d", seed).isEqualTo(finish(graph, 5));
    }
  }
}
