package dev.pitwall.recorders.nsight;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Track;
import java.util.HashMap;
import java.util.Map;

/// Recorded synchronizations: the host or a stream that waits, and the event recorded for it.
final class SynchronizationRows {
  private static final String TABLE = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
  private static final String[] KINDS = {
    "Synchronization", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"
  };
  private static final int EVENT_SYNC = 1;
  private static final int STREAM_WAIT_EVENT = 2;
  private static final int STREAM_SYNC = 3;
  private static final int CONTEXT_SYNC = 4;

  /// No stream, no event.
  private static final long NONE = 0xFFFF_FFFFL;

  private SynchronizationRows() {}

  static void read(ExportTables tables, ExportTimeline timeline) {
    EventRecords records = EventRecords.read(tables, timeline);
    int category = timeline.names().intern("cuda_sync");
    Map<Long, Integer> lanes = new HashMap<>();
    tables.forEachActivity(
        TABLE,
        row -> {
          long stream = row.integer(3, NONE);
          long process = row.integer(5, 0);
          int correlation = timeline.correlation(process, row.integer(4, -1));
          int kindName =
              timeline.names().intern(KINDS[kind(row.integer(6, 0), stream, row.integer(8, NONE))]);
          int lane =
              lanes.computeIfAbsent(
                  row.integer(2, 0),
                  device ->
                      timeline.builder.addTrack(
                          Track.Kind.OTHER,
                          Long.toString(device),
                          "sync",
                          "synchronization (GPU " + device + ")",
                          device.intValue(),
                          -1));
          EventRecords.Recorded recorded =
              records.before(
                  row.integer(7, -1),
                  process,
                  row.integer(9, 0),
                  row.integer(8, NONE),
                  correlation);
          int detail =
              timeline
                  .builder
                  .syncs()
                  .add(
                      kindName,
                      stream == NONE ? -1 : stream,
                      recorded.stream(),
                      recorded.correlation());
          timeline.slice(
              lane,
              Category.DEVICE_SYNC,
              category,
              kindName,
              row.integer(0, 0),
              row.integer(1, 0),
              correlation,
              detail);
        },
        "syncType",
        "eventSyncId",
        "eventId",
        "contextId");
  }

  /// Versions up to 2025.1 leave the type 0 or call a stream's synchronization a stream's wait for
  /// an event, without an event; what the row names tells them apart.
  private static int kind(long recorded, long stream, long event) {
    boolean told = recorded == EVENT_SYNC || recorded == STREAM_SYNC || recorded == CONTEXT_SYNC;
    if (told || (recorded == STREAM_WAIT_EVENT && event != NONE)) {
      return (int) recorded;
    }
    if (event != NONE) {
      return EVENT_SYNC;
    }
    return stream != NONE ? STREAM_SYNC : recorded == 0 ? CONTEXT_SYNC : 0;
  }
}
