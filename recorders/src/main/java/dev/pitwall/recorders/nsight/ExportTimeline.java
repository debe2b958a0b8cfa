package dev.pitwall.recorders.nsight;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Names;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceBuilder;
import dev.pitwall.trace.Track;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The trace that an export is read into: its tracks, names and numbers are what the readers of the
/// tables share. Times are nanoseconds since the session began, as in the file.
final class ExportTimeline {
  /// Correlation ids of the first process up to this are kept as recorded.
  private static final int LARGEST_KEPT_CORRELATION = 1 << 30;

  /// Ids of other processes are numbered anew in blocks of this many.
  private static final int BLOCK_BITS = 16;

  private static final int BLOCKS = LARGEST_KEPT_CORRELATION >>> BLOCK_BITS;

  final TraceBuilder builder = new TraceBuilder();
  final StringTable strings;
  private final Map<Long, String> threadNames = new HashMap<>();
  private final Map<Long, Integer> threadTracks = new HashMap<>();
  private final Map<List<Long>, Integer> streamTracks = new HashMap<>();
  private final Map<Long, Integer> processIndex = new HashMap<>();
  private final Map<Long, Integer> correlationBlocks = new HashMap<>();
  private long firstNanos = Long.MAX_VALUE;
  private long lastNanos = Long.MIN_VALUE;
  private long lastThread;
  private int lastThreadTrack = -1;
  private long lastDevice;
  private long lastStream;
  private long lastStreamProcess;
  private int lastStreamTrack = -1;
  private long lastProcess;
  private int lastProcessIndex = -1;

  ExportTimeline(ExportTables tables) {
    strings = new StringTable(tables, builder.names());
    tables.forEach(
        "ThreadNames",
        row -> threadNames.put(row.integer(1, -1), strings.text(row.integer(0, -1))),
        "nameId",
        "globalTid");
  }

  Names names() {
    return builder.names();
  }

  void slice(
      int track,
      Category kind,
      int categoryName,
      int name,
      long start,
      long end,
      int correlation,
      int detail) {
    if (end < start) {
      builder
          .losses()
          .record("negative-duration", "A row ends before it starts; its duration is read as 0.");
    }
    firstNanos = Math.min(firstNanos, start);
    lastNanos = Math.max(lastNanos, end);
    builder.addSlice(
        track,
        kind,
        categoryName,
        name,
        start,
        Math.max(0, end - start),
        correlation,
        Slices.NONE,
        detail);
  }

  /// Start of the first slice, 0 where there is none.
  long firstNanos() {
    return firstNanos > lastNanos ? 0 : firstNanos;
  }

  /// End of the last slice, 0 where there is none.
  long lastNanos() {
    return firstNanos > lastNanos ? 0 : lastNanos;
  }

  /// The track of a thread.
  int thread(long globalThreadId) {
    if (lastThreadTrack < 0 || globalThreadId != lastThread) {
      lastThread = globalThreadId;
      lastThreadTrack =
          threadTracks.computeIfAbsent(
              globalThreadId,
              id ->
                  builder.addTrack(
                      Track.Kind.CPU_THREAD,
                      Long.toString(id >>> 24 & 0xFFFFFF),
                      Long.toString(id & 0xFFFFFF),
                      threadNames.getOrDefault(id, ""),
                      -1,
                      -1));
    }
    return lastThreadTrack;
  }

  /// The track of a stream; streams of two processes are two, whatever their numbers.
  int stream(long device, long stream, long globalPid) {
    if (lastStreamTrack < 0
        || device != lastDevice
        || stream != lastStream
        || globalPid != lastStreamProcess) {
      lastDevice = device;
      lastStream = stream;
      lastStreamProcess = globalPid;
      lastStreamTrack =
          streamTracks.computeIfAbsent(
              List.of(device, stream, globalPid),
              key ->
                  builder.addTrack(
                      Track.Kind.STREAM,
                      Long.toString(device),
                      Long.toString(stream),
                      "",
                      (int) device,
                      stream));
    }
    return lastStreamTrack;
  }

  /// A correlation id that is unique in the trace: ids count from 1 in every process, so those of a
  /// second process are numbered anew.
  int correlation(long globalPid, long id) {
    if (id < 0) {
      return Slices.NONE;
    }
    if (lastProcessIndex < 0 || globalPid != lastProcess) {
      lastProcess = globalPid;
      lastProcessIndex = processIndex.computeIfAbsent(globalPid, unseen -> processIndex.size());
    }
    if (lastProcessIndex == 0 && id < LARGEST_KEPT_CORRELATION) {
      return (int) id;
    }
    long key = (long) lastProcessIndex << 44 ^ id >>> BLOCK_BITS;
    int block = correlationBlocks.computeIfAbsent(key, unseen -> correlationBlocks.size());
    if (block >= BLOCKS - 1) {
      builder
          .losses()
          .record("correlation-lost", "Correlation ids of a process are too far apart to be kept.");
      return Slices.NONE;
    }
    return LARGEST_KEPT_CORRELATION + (block << BLOCK_BITS | (int) (id & (1 << BLOCK_BITS) - 1));
  }
}
