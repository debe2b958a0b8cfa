package dev.pitwall.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.graph.EdgeKind;
import dev.pitwall.graph.GraphBuilder;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.graph.Resource;
import org.junit.jupiter.api.Test;

class ReplayTest {
  private final GraphBuilder builder = new GraphBuilder();
  private final int thread = builder.resource(Resource.thread("main"));
  private final int stream = builder.resource(Resource.stream("stream 7", 0));

  private int launched(long launchNanos, long kernelNanos) {
    int launch = builder.add(NodeKind.LAUNCH, thread, launchNanos, "launch");
    int kernel = builder.add(NodeKind.KERNEL, stream, kernelNanos, "kernel");
    builder.edge(launch, kernel, EdgeKind.LAUNCH, 3);
    return kernel;
  }

  private double step() {
    return SteadyState.of(builder.build()).stepNanos();
  }

  @Test
  void aStepIsAsLongAsItsBusierSide() {
    launched(10, 100);
    launched(10, 100);
    assertThat(step()).isEqualTo(200);
    launched(900, 100);
    assertThat(step()).isEqualTo(920);
  }

  @Test
  void aSyncMakesHostAndDeviceTakeTurns() {
    int kernel = launched(10, 100);
    int sync = builder.add(NodeKind.HOST_WAIT, thread, 7, "sync");
    builder.edge(kernel, sync, EdgeKind.HOST_SYNC, 5);
    assertThat(step()).isEqualTo(3 + 100 + 5 + 7);
  }

  @Test
  void aFullLaunchQueueHoldsTheHostBack() {
    builder.launchQueueDepth(2);
    launched(10, 100);
    Replay replay = new Replay(builder.build());
    for (int repetition = 0; repetition < 6; repetition++) {
      replay.repeat();
    }
    // The sixth launch waits for the start of the fourth kernel: 3 + 3 * 100.
    assertThat(replay.startNanos(0)).isEqualTo(303);
  }

  @Test
  void theCriticalPathSumsToTheStep() {
    int kernel = launched(10, 100);
    int sync = builder.add(NodeKind.HOST_WAIT, thread, 7, "sync");
    builder.edge(kernel, sync, EdgeKind.HOST_SYNC, 5);
    launched(10, 20);
    SteadyState steady = SteadyState.of(builder.build());
    CriticalPath path = CriticalPath.of(steady.replay());
    assertThat(path.pieces().stream().mapToLong(CriticalPath.Piece::nanos).sum())
        .isEqualTo(path.nanos());
    assertThat(path.nanos()).isEqualTo((long) steady.stepNanos());
  }

  @Test
  void slackIsTheRoomBeforeTheNextStepGrows() {
    int side = builder.resource(Resource.stream("stream 8", 0));
    int launch = builder.add(NodeKind.LAUNCH, thread, 10, "launch");
    int shorter = builder.add(NodeKind.KERNEL, side, 40, "short");
    builder.edge(launch, shorter, EdgeKind.LAUNCH, 3);
    int longer = launched(10, 100);
    SteadyState steady = SteadyState.of(builder.build());
    Slack slack = Slack.of(steady.replay());
    assertThat(slack.nanos(builder.numberInGraph(longer))).isZero();
    assertThat(slack.nanos(builder.numberInGraph(shorter))).isGreaterThanOrEqualTo(60);
  }
}
