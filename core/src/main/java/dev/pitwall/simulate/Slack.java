package dev.pitwall.simulate;

import dev.pitwall.graph.ExecutionGraph;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// How much later each node of a repetition could end without the *next* repetition ending later,
/// in nanoseconds by node. Looking one repetition on shows the room of work that only the next step
/// waits for. A full launch queue is not looked through: it only ever takes room away from the CPU,
/// which has it because the device is behind.
public final class Slack {
  private final long[] slackNanos;

  private Slack(long[] slackNanos) {
    this.slackNanos = slackNanos;
  }

  /// The slack in the repetition before the last of a replay that has done at least two.
  public static Slack of(Replay replay) {
    ExecutionGraph graph = replay.graph();
    int nodes = graph.nodes();
    long[] latestStart = new long[nodes];
    Arrays.fill(latestStart, Long.MAX_VALUE);
    long[] latestStartBefore = latestStart.clone();
    for (int node = 0; node < nodes; node++) {
      latestStart[node] = replay.finishNanos() - graph.durationNanos(node);
    }
    for (int node = nodes - 1; node >= 0; node--) {
      relaxSources(graph, node, latestStart[node], latestStart, latestStartBefore);
    }
    for (int node = nodes - 1; node >= 0; node--) {
      long latest = Math.min(latestStartBefore[node], latestStart[node]);
      latestStartBefore[node] = latest;
      relaxSources(graph, node, latest, latestStartBefore, null);
    }
    for (int node = 0; node < nodes; node++) {
      latestStartBefore[node] =
          Math.max(0, latestStartBefore[node] - replay.startBeforeNanos(node));
    }
    return new Slack(latestStartBefore);
  }

  private static void relaxSources(
      ExecutionGraph graph,
      int node,
      long latestStart,
      long[] sameRepetition,
      long @Nullable [] repetitionBefore) {
    for (int edge = graph.firstIncoming(node); edge < graph.endIncoming(node); edge++) {
      long[] latest = graph.isCarried(edge) ? repetitionBefore : sameRepetition;
      if (latest != null) {
        int source = graph.source(edge);
        long ownTime = graph.edgeKind(edge).isAnchoredAtStart() ? 0 : graph.durationNanos(source);
        latest[source] = Math.min(latest[source], latestStart - graph.lagNanos(edge) - ownTime);
      }
    }
  }

  public long nanos(int node) {
    return slackNanos[node];
  }
}
