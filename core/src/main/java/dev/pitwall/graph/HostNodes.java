package dev.pitwall.graph;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.pattern.ApiCallKind;
import dev.pitwall.trace.pattern.ApiCalls;
import dev.pitwall.trace.pattern.InputWaits;
import java.util.ArrayList;
import java.util.List;

/// Makes the host nodes of a trace graph.
///
/// While autograd's thread works, the main thread stands still inside one piece. That piece is
/// split and the threads are tied together:
///
/// ```
///   main      [piece, before]                       [host wait][piece, after]
///                  │ hand-over                            ▲ hand-over
///   autograd       └──▶[node][launch][node]...[node]──────┘
/// ```
///
/// A wait for the DataLoader's workers becomes a host wait behind a node on a thread of its own
/// that lasts as long as the batch took since the one before.
final class HostNodes {
  private static final long LONGEST_GAP_OF_A_BUSY_THREAD_NANOS = 500_000;
  private static final long LEAST_INPUT_WAIT_NANOS = 200_000;

  /// A stretch of a second thread's work inside one piece of the main thread.
  private record Burst(
      int mainPiece,
      boolean mainWaits,
      long startNanos,
      long endNanos,
      int firstNode,
      int lastNode) {}

  private final TraceGraphBuilder owner;
  private final ApiCalls calls;
  /// By thread, the nodes of calls that face the device: launches, waits, events.
  private final List<LongList> deviceCalls = new ArrayList<>();
  private final boolean[] isInputWait;
  private final int outsideLabel;
  private final int betweenLabel;
  private final int inputLabel;
  private int inputResource = -1;
  private long lastInputNanos;

  HostNodes(TraceGraphBuilder owner) {
    this.owner = owner;
    calls = new ApiCalls(owner.trace);
    isInputWait = new boolean[owner.slices.size()];
    for (int row : InputWaits.find(owner.index)) {
      isInputWait[row] = isWaitForWorkers(row);
    }
    outsideLabel = owner.builder.label("outside operators");
    betweenLabel = owner.builder.label(TraceGraph.BETWEEN_STEPS);
    inputLabel = owner.builder.label(TraceGraph.INPUT);
    lastInputNanos = owner.windowStartNanos;
  }

  /// What a call does.
  ApiCallKind kindOf(int node) {
    return calls.kind(owner.builder.traceRow[node]);
  }

  /// Nodes of the calls that face the device (launches, waits, events), in order of time.
  int[] deviceCalls() {
    int total = 0;
    for (LongList thread : deviceCalls) {
      total += thread.size();
    }
    int[] merged = new int[total];
    int[] head = new int[deviceCalls.size()];
    for (int at = 0; at < total; at++) {
      int earliest = -1;
      for (int thread = 0; thread < head.length; thread++) {
        if (head[thread] < deviceCalls.get(thread).size()
            && (earliest < 0 || headNanos(thread, head) < headNanos(earliest, head))) {
          earliest = thread;
        }
      }
      merged[at] = (int) deviceCalls.get(earliest).get(head[earliest]++);
    }
    return merged;
  }

  private long headNanos(int thread, int[] head) {
    return owner.measuredStartNanos.get((int) deviceCalls.get(thread).get(head[thread]));
  }

  void add(int mainTrack, List<Integer> otherTracks) {
    if (mainTrack < 0) {
      return;
    }
    HostTimeline main = timeline(mainTrack);
    int mainResource = threadResource(mainTrack);
    List<Burst> bursts = new ArrayList<>();
    for (int track : otherTracks) {
      addOtherThread(timeline(track), threadResource(track), main, bursts);
    }
    bursts.sort((a, b) -> Long.compare(a.startNanos, b.startNanos));
    int next = 0;
    int last = -1;
    for (int piece = 0; piece < main.size(); piece++) {
      long from = main.startNanos(piece);
      List<Burst> waitedFor = new ArrayList<>();
      while (next < bursts.size() && bursts.get(next).mainPiece == piece) {
        Burst burst = bursts.get(next++);
        if (burst.mainWaits) {
          waitedFor.add(burst);
        } else {
          handOver(last, burst);
        }
      }
      if (!waitedFor.isEmpty()) {
        last = addWaitForThreads(main, piece, mainResource, last, waitedFor);
        from = owner.measuredStartNanos.get(last);
      }
      if (from < main.endNanos(piece)) {
        last = addPiece(main, piece, from, main.endNanos(piece), mainResource);
      }
    }
  }

  private HostTimeline timeline(int track) {
    return HostTimeline.of(owner.trace, track, owner.windowStartNanos, owner.windowEndNanos);
  }

  private int threadResource(int track) {
    int resource =
        owner.builder.resource(
            new Resource(
                Resource.Kind.CPU_THREAD, owner.trace.tracks().get(track).label(), -1, track));
    deviceCalls.add(new LongList());
    return resource;
  }

  private int addWaitForThreads(
      HostTimeline main, int piece, int resource, int nodeBefore, List<Burst> bursts) {
    int last = nodeBefore;
    long begin = bursts.getFirst().startNanos;
    long done = begin;
    if (begin > main.startNanos(piece)) {
      last = addPiece(main, piece, main.startNanos(piece), begin, resource);
    }
    for (Burst burst : bursts) {
      handOver(last, burst);
      done = Math.max(done, burst.endNanos);
    }
    int wait = addSegment(NodeKind.HOST_WAIT, resource, done, done, main.row(piece));
    for (Burst burst : bursts) {
      owner.builder.edge(burst.lastNode, wait, EdgeKind.HAND_OVER, 0);
    }
    return wait;
  }

  private void handOver(int mainNode, Burst burst) {
    if (mainNode >= 0) {
      long mainEnd = owner.measuredStartNanos.get(mainNode) + owner.builder.durationNanos(mainNode);
      owner.builder.edge(mainNode, burst.firstNode, EdgeKind.HAND_OVER, burst.startNanos - mainEnd);
    }
  }

  private void addOtherThread(
      HostTimeline thread, int resource, HostTimeline main, List<Burst> bursts) {
    int piece = 0;
    while (piece < thread.size()) {
      if (thread.row(piece) == Slices.NONE) {
        piece++;
        continue;
      }
      int mainPiece = main.pieceAt(thread.startNanos(piece));
      long mainEnd = main.endNanos(mainPiece);
      boolean mayWait = !main.isApiCall(mainPiece);
      int last = piece;
      boolean waits = mayWait;
      for (int at = piece; at < thread.size(); at++) {
        boolean idle = thread.row(at) == Slices.NONE;
        boolean inside = thread.endNanos(at) <= mainEnd;
        if (idle && (!inside || !waits)) {
          long gap = thread.endNanos(at) - thread.startNanos(at);
          if (waits || gap > LONGEST_GAP_OF_A_BUSY_THREAD_NANOS) {
            break;
          }
        } else if (!idle) {
          waits &= inside;
          last = at;
        }
      }
      int first = -1;
      int node = -1;
      for (int at = piece; at <= last; at++) {
        node = addPiece(thread, at, thread.startNanos(at), thread.endNanos(at), resource);
        first = first < 0 ? node : first;
      }
      bursts.add(
          new Burst(
              mainPiece, waits, thread.startNanos(piece), thread.endNanos(last), first, node));
      piece = last + 1;
    }
  }

  private int addPiece(HostTimeline timeline, int piece, long from, long to, int resource) {
    int row = timeline.row(piece);
    if (timeline.isApiCall(piece)) {
      return addCall(row, from, to, resource);
    }
    if (to - from >= LEAST_INPUT_WAIT_NANOS && isInputWait(row)) {
      return addInputWait(row, to, resource);
    }
    return addSegment(NodeKind.CPU_SEGMENT, resource, from, to, row);
  }

  private int addSegment(NodeKind kind, int resource, long from, long to, int row) {
    boolean between = owner.isBetweenSteps(from, to);
    int label = between ? betweenLabel : row < 0 ? outsideLabel : owner.slices.nameId(row);
    Category category = row < 0 ? Category.OTHER : owner.slices.category(row);
    return owner.addNode(kind, resource, from, to, label, row, category);
  }

  private int addCall(int row, long from, long to, int resource) {
    ApiCallKind kind = calls.kind(row);
    boolean launches = owner.index.launches().firstDeviceRow(row) != Slices.NONE;
    NodeKind nodeKind =
        launches ? NodeKind.LAUNCH : waitsForDevice(kind) ? NodeKind.HOST_WAIT : NodeKind.API_CALL;
    int node =
        owner.addNode(
            nodeKind,
            resource,
            from,
            to,
            owner.slices.nameId(row),
            row,
            owner.slices.category(row));
    if (launches
        || waitsForDevice(kind)
        || kind == ApiCallKind.STREAM_WAIT_EVENT
        || kind == ApiCallKind.RECORD_EVENT) {
      deviceCalls.get(resource).add(node);
    }
    return node;
  }

  private static boolean waitsForDevice(ApiCallKind kind) {
    return kind.waitsForDevice() || kind == ApiCallKind.FREE || kind == ApiCallKind.FREE_HOST;
  }

  private int addInputWait(int row, long arrival, int resource) {
    if (inputResource < 0) {
      inputResource = owner.builder.resource(Resource.thread(TraceGraph.INPUT));
    }
    int batch =
        owner.addNode(
            NodeKind.CPU_SEGMENT,
            inputResource,
            lastInputNanos,
            arrival,
            inputLabel,
            Slices.NONE,
            Category.OTHER);
    lastInputNanos = arrival;
    int wait = addSegment(NodeKind.HOST_WAIT, resource, arrival, arrival, row);
    owner.builder.edge(batch, wait, EdgeKind.HAND_OVER, 0);
    return wait;
  }

  private boolean isInputWait(int row) {
    int at = row;
    while (at != Slices.NONE && !isInputWait[at]) {
      at = owner.index.calls().parent(at);
    }
    return at != Slices.NONE;
  }

  /// A fetch that spends its time outside all operators waits for worker processes; one that runs
  /// operators makes the batch itself.
  private boolean isWaitForWorkers(int wait) {
    Slices slices = owner.slices;
    long inOperators = 0;
    long until = slices.startNanos(wait);
    int end = owner.trace.endRow(slices.track(wait));
    for (int row = wait + 1; row < end && slices.startNanos(row) < slices.endNanos(wait); row++) {
      if (slices.category(row) == Category.CPU_OP && slices.endNanos(row) > until) {
        inOperators += slices.endNanos(row) - Math.max(until, slices.startNanos(row));
        until = slices.endNanos(row);
      }
    }
    return inOperators * 2 < slices.durationNanos(wait);
  }
}
