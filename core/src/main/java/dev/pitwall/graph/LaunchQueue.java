package dev.pitwall.graph;

import dev.pitwall.trace.Launches;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Track;
import dev.pitwall.trace.pattern.ApiCallKind;
import java.util.Arrays;

/// How far the host was ahead of the device at each launch of a trace, and which launches stood
/// still because the launch queue was full.
///
/// On CUDA 13 a launch blocks when 1,021 launches of its stream have not started, until the first
/// of them does (seen in every H200 recording of this project that fills the queue).
final class LaunchQueue {
  private static final int USUAL_DEPTH = GraphBuilder.DEFAULT_LAUNCH_QUEUE_DEPTH;
  private static final int SHORT_OF_FULL = 2;
  private static final int FAR_FROM_FULL = 16;

  private final TraceGraphBuilder owner;
  private final HostNodes host;
  private final int[] calls;
  private final int[] outstanding;
  private final long[] ownNanos;
  private final int depth;

  LaunchQueue(TraceGraphBuilder owner, HostNodes host, int[] calls) {
    this.owner = owner;
    this.host = host;
    this.calls = calls;
    outstanding = new int[calls.length];
    ownNanos = new long[calls.length];
    int deepest = countOutstanding();
    depth = Math.max(USUAL_DEPTH, deepest);
    separateBlocking();
  }

  int depth() {
    return depth;
  }

  /// Own time of a call: its recorded duration, or what calls of its name usually take where it
  /// stood still.
  long ownNanos(int call) {
    return ownNanos[call];
  }

  /// Launches of the call's stream that had not started when the call began.
  int outstanding(int call) {
    return outstanding[call];
  }

  private int countOutstanding() {
    long[][] starts = startsByTrack();
    int[] launched = new int[starts.length];
    for (int track = 0; track < starts.length; track++) {
      launched[track] = starts[track].length;
    }
    Launches launches = owner.index.launches();
    for (int node : calls) {
      int first = launches.firstDeviceRow(owner.builder.traceRow[node]);
      if (first != Slices.NONE) {
        launched[owner.slices.track(first)]--;
      }
    }
    int deepest = 0;
    for (int call = 0; call < calls.length; call++) {
      int first = launches.firstDeviceRow(owner.builder.traceRow[calls[call]]);
      if (first == Slices.NONE) {
        continue;
      }
      int track = owner.slices.track(first);
      int started = countBelow(starts[track], owner.measuredStartNanos.get(calls[call]));
      outstanding[call] = launched[track]++ - started;
      deepest = Math.max(deepest, outstanding[call]);
    }
    return deepest;
  }

  /// By track, ascending starts of device work: every orphan, and the first row of every launch.
  private long[][] startsByTrack() {
    Slices slices = owner.slices;
    Launches launches = owner.index.launches();
    long[][] starts = new long[owner.trace.tracks().size()][];
    for (Track track : owner.trace.tracks()) {
      LongList found = new LongList();
      if (track.kind() == Track.Kind.STREAM) {
        for (int row = owner.trace.firstRow(track.id());
            row < owner.trace.endRow(track.id());
            row++) {
          int launch = slices.category(row).isDeviceWork() ? launches.launchOf(row) : row;
          if (launch == Slices.NONE || launch != row && launches.firstDeviceRow(launch) == row) {
            found.add(slices.startNanos(row));
          }
        }
      }
      starts[track.id()] = found.toArray();
    }
    return starts;
  }

  private static int countBelow(long[] sorted, long limit) {
    int found = Arrays.binarySearch(sorted, limit);
    return found >= 0 ? found : -found - 1;
  }

  private void separateBlocking() {
    LongList[] usual = new LongList[owner.trace.names().size()];
    for (int call = 0; call < calls.length; call++) {
      ownNanos[call] = owner.builder.durationNanos(calls[call]);
      if (owner.builder.kind[calls[call]] == (byte) NodeKind.LAUNCH.ordinal()
          && outstanding[call] < depth - FAR_FROM_FULL) {
        int name = owner.builder.labelId[calls[call]];
        usual[name] = usual[name] == null ? new LongList() : usual[name];
        usual[name].add(ownNanos[call]);
      }
    }
    long[] median = new long[usual.length];
    long[] least = new long[usual.length];
    for (int name = 0; name < usual.length; name++) {
      if (usual[name] != null) {
        median[name] = usual[name].quantile(0.5, 0);
        least[name] = usual[name].quantile(0, 0);
      }
    }
    for (int call = 0; call < calls.length; call++) {
      int name = owner.builder.labelId[calls[call]];
      boolean full = outstanding[call] >= depth - SHORT_OF_FULL;
      if (host.kindOf(calls[call]) == ApiCallKind.LAUNCH_GRAPH) {
        if (outstanding[call] > 0 && ownNanos[call] > 2 * least[name] && least[name] > 0) {
          ownNanos[call] = least[name];
        }
      } else if (full && ownNanos[call] > 2 * median[name]) {
        ownNanos[call] = median[name] > 0 ? median[name] : Math.min(ownNanos[call], 10_000);
      }
    }
  }
}
