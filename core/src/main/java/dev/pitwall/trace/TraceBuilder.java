package dev.pitwall.trace;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Collects what a reader finds, in any order, and sorts it into a [Trace]. Used once, by one
/// thread.
public final class TraceBuilder {
  final LongColumn startNanos = new LongColumn();
  final LongColumn durationNanos = new LongColumn();
  final IntColumn nameId = new IntColumn();
  final ByteColumn category = new ByteColumn();
  final IntColumn categoryNameId = new IntColumn();
  final IntColumn track = new IntColumn();
  final IntColumn correlation = new IntColumn();
  final IntColumn externalId = new IntColumn();
  final IntColumn detail = new IntColumn();
  final OperatorDetails operators;
  final DeviceWorkDetails deviceWork;
  final PythonDetails python;
  final SyncDetails syncs;

  private final Names names;
  private final List<Track> tracks = new ArrayList<>();
  private final LaunchTable kernelLaunches = new LaunchTable();
  private final Map<Collective, Integer> collectives = new HashMap<>();
  private final List<Collective> collectiveList = new ArrayList<>();
  private final MemoryEvents memoryEvents;
  private final IntColumn linkForward = new IntColumn();
  private final IntColumn linkBackward = new IntColumn();
  private final List<Counter> counters = new ArrayList<>();
  private final LossLedger losses;

  public TraceBuilder() {
    operators = new OperatorDetails();
    deviceWork = new DeviceWorkDetails();
    python = new PythonDetails();
    syncs = new SyncDetails();
    names = new Names();
    memoryEvents = new MemoryEvents();
    losses = new LossLedger();
  }

  /// Goes on where a trace ended: everything in it is added, its names and tracks keep their ids.
  /// The trace must not be used any more.
  public TraceBuilder(Trace begun) {
    Slices slices = begun.slices();
    operators = slices.operators;
    deviceWork = slices.deviceWork;
    python = slices.python;
    syncs = slices.syncs;
    names = begun.names();
    memoryEvents = begun.memoryEvents();
    losses = begun.losses();
    tracks.addAll(begun.tracks());
    begun
        .kernelLaunches()
        .forEach(
            launch ->
                internLaunch(
                    launch.gridX(),
                    launch.gridY(),
                    launch.gridZ(),
                    launch.blockX(),
                    launch.blockY(),
                    launch.blockZ(),
                    launch.registersPerThread(),
                    launch.sharedMemoryBytes()));
    begun.collectives().forEach(this::intern);
    counters.addAll(begun.counters());
    for (int row = 0; row < slices.size(); row++) {
      addSlice(
          slices.track(row),
          slices.category(row),
          slices.categoryNameId(row),
          slices.nameId(row),
          slices.startNanos(row),
          slices.durationNanos(row),
          slices.correlation(row),
          slices.externalId(row),
          slices.detail.get(row));
    }
    ForwardBackwardLinks links = begun.forwardBackwardLinks();
    for (int link = 0; link < links.size(); link++) {
      linkForwardBackward(links.forwardRow(link), links.backwardRow(link));
    }
  }

  public Names names() {
    return names;
  }

  public LossLedger losses() {
    return losses;
  }

  public MemoryEvents memoryEvents() {
    return memoryEvents;
  }

  public OperatorDetails operators() {
    return operators;
  }

  public DeviceWorkDetails deviceWork() {
    return deviceWork;
  }

  public PythonDetails python() {
    return python;
  }

  public SyncDetails syncs() {
    return syncs;
  }

  /// Adds a track and returns its index.
  public int addTrack(
      Track.Kind kind, String process, String thread, String name, int device, long stream) {
    int id = tracks.size();
    tracks.add(new Track(id, kind, process, thread, name, device, stream));
    return id;
  }

  public int tracks() {
    return tracks.size();
  }

  /// Gives a track another name, kind, device and stream (metadata may come after the slices).
  public void describeTrack(int id, Track.Kind kind, String name, int device, long stream) {
    Track known = tracks.get(id);
    tracks.set(id, new Track(id, kind, known.process(), known.thread(), name, device, stream));
  }

  /// Adds a slice and returns its row before sorting. `detailRow` belongs to the side columns of
  /// the category, [Slices#NONE] where there is none.
  public int addSlice(
      int trackId,
      Category kind,
      int categoryName,
      int name,
      long start,
      long duration,
      int correlationId,
      int external,
      int detailRow) {
    startNanos.add(start);
    durationNanos.add(duration);
    nameId.add(name);
    category.add((byte) kind.ordinal());
    categoryNameId.add(categoryName);
    track.add(trackId);
    correlation.add(correlationId);
    externalId.add(external);
    detail.add(detailRow);
    return nameId.size() - 1;
  }

  public int slices() {
    return nameId.size();
  }

  /// Track of a slice already added, by its row before sorting.
  public int track(int row) {
    return track.get(row);
  }

  /// Start of a slice already added, by its row before sorting.
  public long startNanos(int row) {
    return startNanos.get(row);
  }

  /// Name of a slice already added, by its row before sorting.
  public int nameId(int row) {
    return nameId.get(row);
  }

  /// The recorder's category word of a slice already added, by its row before sorting.
  public int categoryNameId(int row) {
    return categoryNameId.get(row);
  }

  /// Correlation of a slice already added, by its row before sorting.
  public int correlation(int row) {
    return correlation.get(row);
  }

  /// Gives a slice already added a correlation that only showed later.
  public void correlate(int row, int correlationId) {
    correlation.set(row, correlationId);
  }

  /// Gives a slice already added a category that only showed later.
  public void categorize(int row, Category kind) {
    category.set(row, (byte) kind.ordinal());
  }

  /// Index of these launch parameters, as [KernelLaunch] names them.
  public int internLaunch(
      int gridX,
      int gridY,
      int gridZ,
      int blockX,
      int blockY,
      int blockZ,
      int registersPerThread,
      int sharedMemoryBytes) {
    return kernelLaunches.intern(
        gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread, sharedMemoryBytes);
  }

  public int intern(Collective collective) {
    return collectives.computeIfAbsent(
        collective,
        unseen -> {
          collectiveList.add(unseen);
          return collectiveList.size() - 1;
        });
  }

  /// Links a forward slice to its backward slice; both rows as [#addSlice] returned them.
  public void linkForwardBackward(int forwardRow, int backwardRow) {
    linkForward.add(forwardRow);
    linkBackward.add(backwardRow);
  }

  public void addCounter(Counter counter) {
    counters.add(counter);
  }

  /// Sorts everything into a trace.
  public Trace build(Recording recording) {
    int[] sorted = SortOrder.ofSlices(track, startNanos, durationNanos, tracks.size());
    RepeatedRows repeated = RepeatedRows.among(this, sorted);
    int[] order = repeated.leftOutOf(sorted);
    int[] newRow = new int[sorted.length];
    for (int row = 0; row < order.length; row++) {
      newRow[order[row]] = row;
    }
    int[] firstRowOfTrack = new int[tracks.size() + 1];
    for (int row = 0; row < sorted.length; row++) {
      firstRowOfTrack[track.get(row) + 1]++;
    }
    if (repeated.count() > 0) {
      repeated.leave(newRow, firstRowOfTrack);
      losses.record("repeated", repeated.count(), repeated.text());
    }
    Arrays.parallelPrefix(firstRowOfTrack, Integer::sum);
    int[] forward = new int[linkForward.size()];
    int[] backward = new int[linkForward.size()];
    for (int link = 0; link < forward.length; link++) {
      forward[link] = newRow[linkForward.get(link)];
      backward[link] = newRow[linkBackward.get(link)];
    }
    return new Trace(
        recording,
        names,
        tracks,
        firstRowOfTrack,
        new Slices(this, order),
        kernelLaunches.launches(),
        collectiveList,
        memoryEvents.sortedByTime(),
        new ForwardBackwardLinks(forward, backward),
        counters,
        losses);
  }
}
