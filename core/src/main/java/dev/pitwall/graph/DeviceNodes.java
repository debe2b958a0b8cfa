package dev.pitwall.graph;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Launches;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.Track;
import dev.pitwall.trace.pattern.ApiCallKind;
import dev.pitwall.trace.pattern.KernelClass;
import dev.pitwall.trace.pattern.KernelNames;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// Hangs the device work of a trace below its launches, stream by stream in order of launch, and
/// finds what else it waited for.
///
/// Every device node gets the lags that reproduce its measured start: the edge that bound it takes
/// the exact difference, every other edge what is usual in this trace. What is far more than usual
/// is entered as unexplained.
final class DeviceNodes {
  private static final long EVENT_MATCH_NANOS = 10_000;
  private static final long CLOCK_SKEW_NANOS = 1_000;

  /// How far the clocks of host and device may be apart; 8 us was seen on ROCm.
  private static final long HOST_SKEW_NANOS = 20_000;

  private static final long USUAL_EVENT_LAG_NANOS = 1_500;
  private static final long PLAUSIBLE_NANOS = 5_000;
  private static final long LONGEST_COPY_CALL_NANOS = 20_000;
  private static final int NONE = -1;

  private final TraceGraphBuilder owner;
  private final HostNodes host;
  private final GraphBuilder builder;
  private final Slices slices;
  private final Launches launches;
  private final KernelNames kernelNames;
  private final int[] streamOfTrack;
  private final long[] orphanEndOfTrack;
  private final LongList[] orphansOfTrack;

  /// By resource: last device node, the last stream-wait call seen when it was launched on.
  private int[] tail = new int[8];
  private int[] consumedWait = new int[8];

  /// Tails of all streams at the latest `cudaStreamWaitEvent`, its serial, and whether a launch
  /// followed.
  private int[] tailAtWait = {};
  private int waitSerial;
  private boolean waitIsFresh;
  private int[] lastStreamOfThread = new int[8];

  /// By track: the work that its next node is known to wait for.
  private final Map<Integer, LongList> knownSources = new HashMap<>();

  private final RecordedEventWaits recordedWaits;

  private final LongList deviceNode = new LongList();
  private final LongList launchStartNanos = new LongList();
  private final LongList previousEndNanos = new LongList();
  private final LongList eventEndNanos = new LongList();
  private final LongList carriedWaits = new LongList();
  private long[] unexplainedNanos = {};

  DeviceNodes(TraceGraphBuilder owner, HostNodes host) {
    this.owner = owner;
    this.host = host;
    builder = owner.builder;
    slices = owner.slices;
    launches = owner.index.launches();
    recordedWaits = new RecordedEventWaits(owner.trace);
    kernelNames = new KernelNames(owner.trace.names());
    int tracks = owner.trace.tracks().size();
    streamOfTrack = new int[tracks];
    Arrays.fill(streamOfTrack, NONE);
    orphanEndOfTrack = new long[tracks];
    Arrays.fill(orphanEndOfTrack, Long.MIN_VALUE);
    orphansOfTrack = new LongList[tracks];
    Arrays.fill(lastStreamOfThread, NONE);
  }

  void add() {
    collectOrphans();
    int[] calls = host.deviceCalls();
    LaunchQueue queue = new LaunchQueue(owner, host, calls);
    builder.launchQueueDepth(queue.depth());
    for (int call = 0; call < calls.length; call++) {
      int node = calls[call];
      ApiCallKind kind = host.kindOf(node);
      if (NodeKind.of(builder.kind[node]) == NodeKind.LAUNCH) {
        addLaunch(node, kind, queue, call);
      } else if (kind == ApiCallKind.STREAM_WAIT_EVENT) {
        addStreamWait(node);
      } else if (kind == ApiCallKind.RECORD_EVENT) {
        recordedWaits.recorded(correlation(node), tail);
      } else {
        addHostSync(node, kind);
      }
    }
    addDeviceWithoutHost(calls.length);
    closeCarriedWaits();
    unexplainedNanos = new long[builder.nodes()];
    settleLags();
  }

  long unexplainedNanos(int node) {
    return unexplainedNanos[node];
  }

  long[][] orphanStartNanos() {
    long[][] starts = new long[builder.resources.size()][];
    Arrays.fill(starts, new long[0]);
    for (int track = 0; track < streamOfTrack.length; track++) {
      if (streamOfTrack[track] != NONE && orphansOfTrack[track] != null) {
        starts[streamOfTrack[track]] = orphansOfTrack[track].toArray();
      }
    }
    return starts;
  }

  long[] orphanEndNanos() {
    long[] ends = new long[builder.resources.size()];
    Arrays.fill(ends, Long.MIN_VALUE);
    for (int track = 0; track < streamOfTrack.length; track++) {
      if (streamOfTrack[track] != NONE) {
        ends[streamOfTrack[track]] = orphanEndOfTrack[track];
      }
    }
    return ends;
  }

  private void collectOrphans() {
    Trace trace = owner.trace;
    for (Track track : trace.tracks()) {
      if (track.kind() != Track.Kind.STREAM) {
        continue;
      }
      for (int row = trace.firstRow(track.id()); row < trace.endRow(track.id()); row++) {
        if (!slices.category(row).isDeviceWork()) {
          continue;
        }
        int launch = launches.launchOf(row);
        if (launch == Slices.NONE || slices.startNanos(launch) < owner.windowStartNanos) {
          int id = track.id();
          orphansOfTrack[id] = orphansOfTrack[id] == null ? new LongList() : orphansOfTrack[id];
          orphansOfTrack[id].add(slices.startNanos(row));
          orphanEndOfTrack[id] = Math.max(orphanEndOfTrack[id], slices.endNanos(row));
        }
      }
    }
  }

  private void addLaunch(int node, ApiCallKind kind, LaunchQueue queue, int call) {
    int thread = builder.resource[node];
    long callStart = owner.measuredStartNanos.get(node);
    long callEnd = callStart + builder.durationNanos(node);
    long launchStart = callStart;
    if (queue.ownNanos(call) < builder.durationNanos(node)) {
      launchStart = callEnd - queue.ownNanos(call);
      builder.setDurationNanos(node, queue.ownNanos(call));
      owner.measuredStartNanos.set(node, launchStart);
      if (kind == ApiCallKind.LAUNCH_GRAPH) {
        holdByDevice(node, launchStart);
      }
    }
    for (int row = launches.firstDeviceRow(builder.traceRow[node]);
        row != Slices.NONE;
        row = launches.nextDeviceRow(row)) {
      int device = addDeviceNode(row, node, launchStart);
      rememberStream(thread, builder.resource[device]);
      if (slices.category(row) == Category.MEMCPY && blocksHost(row, kind, callEnd)) {
        addWaitForCopy(node, device, row, launchStart, callEnd);
      }
    }
    waitIsFresh = false;
  }

  private void rememberStream(int thread, int stream) {
    if (thread >= lastStreamOfThread.length) {
      int old = lastStreamOfThread.length;
      lastStreamOfThread = Arrays.copyOf(lastStreamOfThread, thread * 2);
      Arrays.fill(lastStreamOfThread, old, lastStreamOfThread.length, NONE);
    }
    lastStreamOfThread[thread] = stream;
  }

  private boolean blocksHost(int copyRow, ApiCallKind kind, long callEnd) {
    boolean mayBlock =
        kind == ApiCallKind.COPY_SYNC || owner.trace.name(copyRow).contains("Pageable");
    return mayBlock && callEnd >= slices.endNanos(copyRow) - 50_000;
  }

  private void addWaitForCopy(int launch, int copy, int row, long launchStart, long callEnd) {
    long own = Math.min(LONGEST_COPY_CALL_NANOS, Math.max(0, slices.startNanos(row) - launchStart));
    long copyEnd = slices.endNanos(row);
    builder.setDurationNanos(launch, Math.min(own, callEnd - launchStart));
    long after = Math.max(0, callEnd - copyEnd);
    int wait =
        builder.insertAfter(
            launch, NodeKind.HOST_WAIT, after, builder.labels.text(builder.labelId[launch]));
    owner.measuredStartNanos.add(callEnd - after);
    builder.edge(copy, wait, EdgeKind.HOST_SYNC, Math.min(0, callEnd - copyEnd));
  }

  /// A graph launch that stood still waited for the device to get on with earlier work: the work
  /// that started last before the call went on.
  private void holdByDevice(int launch, long launchStart) {
    int holder = NONE;
    for (int stream = 0; stream < tail.length; stream++) {
      int node = stream < builder.resources.size() && isStream(stream) ? tail[stream] : NONE;
      while (node != NONE && owner.measuredStartNanos.get(node) > launchStart) {
        node = builder.previousOnResource(node);
      }
      if (node != NONE
          && (holder == NONE
              || owner.measuredStartNanos.get(node) > owner.measuredStartNanos.get(holder))) {
        holder = node;
      }
    }
    if (holder != NONE) {
      builder.edge(
          holder, launch, EdgeKind.QUEUE_FULL, launchStart - owner.measuredStartNanos.get(holder));
    }
  }

  private boolean isStream(int resource) {
    return builder.resources.get(resource).isStream();
  }

  private int streamOf(int row) {
    int track = slices.track(row);
    if (streamOfTrack[track] == NONE) {
      Track described = owner.trace.tracks().get(track);
      int resource =
          builder.resource(
              new Resource(Resource.Kind.STREAM, described.label(), described.device(), track));
      if (resource >= tail.length) {
        tail = Arrays.copyOf(tail, resource * 2);
        consumedWait = Arrays.copyOf(consumedWait, resource * 2);
      }
      tail[resource] = NONE;
      streamOfTrack[track] = resource;
    }
    return streamOfTrack[track];
  }

  private int addDeviceNode(int row, int launch, long launchStart) {
    int stream = streamOf(row);
    int before = tail[stream];
    NodeKind kind =
        switch (slices.category(row)) {
          case MEMCPY -> NodeKind.MEMCPY;
          case MEMSET -> NodeKind.MEMSET;
          default -> isCollective(row) ? NodeKind.COLLECTIVE : NodeKind.KERNEL;
        };
    int node =
        owner.addNode(
            kind,
            stream,
            slices.startNanos(row),
            slices.endNanos(row),
            slices.nameId(row),
            row,
            slices.category(row));
    if (launch != NONE) {
      builder.step[node] = builder.step[launch];
      builder.edge(launch, node, EdgeKind.LAUNCH, 0);
    }
    deviceNode.add(node);
    launchStartNanos.add(launchStart);
    previousEndNanos.add(before == NONE ? orphanEndOfTrack[slices.track(row)] : endNanos(before));
    eventEndNanos.add(
        launch == NONE
            ? Long.MIN_VALUE
            : Math.max(addKnownWaits(node, slices.track(row)), addEventWait(node, stream)));
    tail[stream] = node;
    return node;
  }

  private boolean isCollective(int row) {
    int detail = slices.deviceWorkDetail(row);
    return (detail >= 0 && slices.deviceWork().collective(detail) >= 0)
        || kernelNames.classOf(slices.nameId(row)) == KernelClass.COMMUNICATION;
  }

  private long endNanos(int node) {
    return owner.measuredStartNanos.get(node) + builder.durationNanos(node);
  }

  /// A wait of which a row says who waits for whom holds for that stream alone; any other may be of
  /// every stream.
  private void addStreamWait(int node) {
    Optional<RecordedEventWaits.Wait> recorded = recordedWaits.of(correlation(node));
    if (recorded.isPresent()) {
      RecordedEventWaits.Wait wait = recorded.get();
      int on = streamOfTrack[wait.onTrack()];
      int source = on == NONE ? NONE : recordedWaits.tail(wait, on);
      if (source != NONE) {
        knownSources.computeIfAbsent(wait.track(), track -> new LongList()).add(source);
      }
      return;
    }
    tailAtWait = tail.clone();
    waitSerial++;
    waitIsFresh = true;
  }

  private int correlation(int node) {
    return slices.correlation(builder.traceRow[node]);
  }

  /// Ties the first work on a stream to what recorded rows say it waited for. Returns the latest
  /// end of that work.
  private long addKnownWaits(int node, int track) {
    LongList sources = knownSources.remove(track);
    long latest = Long.MIN_VALUE;
    for (int at = 0; sources != null && at < sources.size(); at++) {
      int source = (int) sources.get(at);
      if (endNanos(source) <= owner.measuredStartNanos.get(node) + CLOCK_SKEW_NANOS) {
        builder.edge(source, node, EdgeKind.EVENT_WAIT, 0);
        latest = Math.max(latest, endNanos(source));
      }
    }
    return latest;
  }

  /// Ties the first work on a stream after a `cudaStreamWaitEvent` to the other stream's work that
  /// it most likely waited for; the recorder names neither stream nor event. Returns that work's
  /// end.
  private long addEventWait(int node, int stream) {
    if (waitSerial <= consumedWait[stream]) {
      return Long.MIN_VALUE;
    }
    consumedWait[stream] = waitSerial;
    long start = owner.measuredStartNanos.get(node);
    int source = NONE;
    for (int other = 0; other < Math.min(tailAtWait.length, builder.resources.size()); other++) {
      int candidate = other != stream && isStream(other) ? tailAtWait[other] : NONE;
      if (candidate != NONE
          && endNanos(candidate) <= start + CLOCK_SKEW_NANOS
          && (source == NONE || endNanos(candidate) > endNanos(source))) {
        source = candidate;
      }
    }
    if (source == NONE || (!waitIsFresh && start - endNanos(source) > EVENT_MATCH_NANOS)) {
      return Long.MIN_VALUE;
    }
    builder.edge(source, node, EdgeKind.EVENT_WAIT, 0);
    return endNanos(source);
  }

  private void addHostSync(int node, ApiCallKind kind) {
    long start = owner.measuredStartNanos.get(node);
    long end = start + builder.durationNanos(node);
    boolean wholeDevice =
        kind == ApiCallKind.SYNCHRONIZE_DEVICE
            || kind == ApiCallKind.FREE
            || kind == ApiCallKind.FREE_HOST;
    int thread = builder.resource[node];
    int own = thread < lastStreamOfThread.length ? lastStreamOfThread[thread] : NONE;
    long done = start;
    for (int stream = 0; stream < builder.resources.size(); stream++) {
      if (!isStream(stream) || !(wholeDevice || stream == own)) {
        continue;
      }
      int last = tail[stream];
      while (last != NONE && endNanos(last) > end + HOST_SKEW_NANOS) {
        last = builder.previousOnResource(last);
      }
      if (last != NONE) {
        long lastEnd = endNanos(last);
        builder.edge(last, node, EdgeKind.HOST_SYNC, Math.min(0, end - lastEnd));
        done = Math.max(done, Math.min(end, lastEnd));
      }
    }
    if (own == NONE || wholeDevice) {
      carriedWaits.add(node);
      for (long orphanEnd : orphanEndOfTrack) {
        if (orphanEnd <= end + HOST_SKEW_NANOS) {
          done = Math.max(done, Math.min(end, orphanEnd));
        }
      }
    }
    builder.setDurationNanos(node, end - done);
    owner.measuredStartNanos.set(node, done);
  }

  /// A wait before the first launch of the window waits for the work of the repetition before.
  private void closeCarriedWaits() {
    for (int wait = 0; wait < carriedWaits.size(); wait++) {
      int node = (int) carriedWaits.get(wait);
      for (int stream = 0; stream < builder.resources.size(); stream++) {
        if (isStream(stream)) {
          builder.carriedEdge(tail[stream], node, EdgeKind.HOST_SYNC, 0);
        }
      }
    }
  }

  /// A recording of the device alone: its work in order of the streams, as it was.
  private void addDeviceWithoutHost(int hostCalls) {
    if (hostCalls > 0 || deviceNode.size() > 0) {
      return;
    }
    for (Track track : owner.trace.tracks()) {
      if (track.kind() != Track.Kind.STREAM) {
        continue;
      }
      orphanEndOfTrack[track.id()] = Long.MIN_VALUE;
      orphansOfTrack[track.id()] = new LongList();
      for (int row = owner.trace.firstRow(track.id());
          row < owner.trace.endRow(track.id());
          row++) {
        if (slices.category(row).isDeviceWork()) {
          addDeviceNode(row, NONE, Long.MIN_VALUE);
        }
      }
    }
  }

  private void settleLags() {
    LongList gaps = new LongList();
    LongList latencies = new LongList();
    for (int at = 0; at < deviceNode.size(); at++) {
      long start = owner.measuredStartNanos.get((int) deviceNode.get(at));
      long fromLaunch = start - launchStartNanos.get(at);
      boolean follows = previousEndNanos.get(at) != Long.MIN_VALUE;
      long fromPrevious = follows ? start - previousEndNanos.get(at) : Long.MAX_VALUE;
      if (fromLaunch > 50_000 && fromPrevious < 10_000) {
        gaps.add(fromPrevious);
      }
      if (previousEndNanos.get(at) < launchStartNanos.get(at)
          && eventEndNanos.get(at) == Long.MIN_VALUE
          && fromLaunch > 0) {
        latencies.add(fromLaunch);
      }
    }
    long gap = gaps.quantile(0.5, 1_000);
    long latency = latencies.quantile(0.25, 6_000);
    for (int at = 0; at < deviceNode.size(); at++) {
      settleLags(at, gap, latency);
    }
  }

  private void settleLags(int at, long gap, long latency) {
    int node = (int) deviceNode.get(at);
    long start = owner.measuredStartNanos.get(node);
    long previous = previousEndNanos.get(at);
    long launch = launchStartNanos.get(at);
    long event = eventEndNanos.get(at);
    long byStream = previous == Long.MIN_VALUE ? Long.MIN_VALUE : previous + gap;
    long byLaunch = launch == Long.MIN_VALUE ? Long.MIN_VALUE : launch + latency;
    long byEvent = event == Long.MIN_VALUE ? Long.MIN_VALUE : event + USUAL_EVENT_LAG_NANOS;
    long bound = Math.max(byStream, Math.max(byLaunch, byEvent));
    builder.setOrderLagNanos(
        node, previous == Long.MIN_VALUE ? gap : lag(start - previous, gap, bound == byStream));
    if (launch != Long.MIN_VALUE) {
      builder.setIncomingLagNanos(
          node, EdgeKind.LAUNCH, lag(start - launch, latency, bound == byLaunch));
    }
    if (event != Long.MIN_VALUE) {
      builder.setIncomingLagNanos(
          node, EdgeKind.EVENT_WAIT, lag(start - event, USUAL_EVENT_LAG_NANOS, bound == byEvent));
    }
    if (bound != Long.MIN_VALUE) {
      unexplainedNanos[node] = Math.max(0, start - bound - PLAUSIBLE_NANOS);
    }
  }

  private static long lag(long measured, long usual, boolean binds) {
    return binds ? measured : Math.min(usual, measured);
  }
}
