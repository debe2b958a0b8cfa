package dev.pitwall.recorders.nsight;

import dev.pitwall.trace.Slices;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/// Where CUDA events were recorded: what a wait for an event waits for is the stream's work up to
/// there.
final class EventRecords {
  /// A recorded event: its call and the stream it was recorded in.
  record Recorded(int correlation, long stream) {}

  private record Event(long process, long context, long id) {}

  private static final Recorded UNKNOWN = new Recorded(Slices.NONE, -1);

  private final Map<Long, Recorded> bySyncId = new HashMap<>();
  private final Map<Event, TreeMap<Integer, Recorded>> byEvent = new HashMap<>();

  private EventRecords() {}

  static EventRecords read(ExportTables tables, ExportTimeline timeline) {
    EventRecords records = new EventRecords();
    tables.forEach(
        "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
        row -> {
          int correlation = timeline.correlation(row.integer(2, 0), row.integer(1, -1));
          Recorded recorded = new Recorded(correlation, row.integer(3, -1));
          long syncId = row.integer(0, -1);
          if (syncId >= 0) {
            records.bySyncId.put(syncId, recorded);
          }
          records
              .byEvent
              .computeIfAbsent(
                  new Event(row.integer(2, 0), row.integer(4, 0), row.integer(5, -1)),
                  unseen -> new TreeMap<>())
              .put(correlation, recorded);
        },
        "eventSyncId",
        "correlationId",
        "globalPid",
        "streamId",
        "contextId",
        "eventId");
    return records;
  }

  /// The record that a wait waits for: the one of this synchronization id, else the event's last
  /// one before the wait's call; calls are numbered in order.
  Recorded before(long syncId, long process, long context, long eventId, int waitCorrelation) {
    Recorded known = syncId < 0 ? null : bySyncId.get(syncId);
    if (known != null) {
      return known;
    }
    TreeMap<Integer, Recorded> records = byEvent.get(new Event(process, context, eventId));
    Map.Entry<Integer, Recorded> last =
        records == null ? null : records.lowerEntry(waitCorrelation);
    return last == null ? UNKNOWN : last.getValue();
  }
}
