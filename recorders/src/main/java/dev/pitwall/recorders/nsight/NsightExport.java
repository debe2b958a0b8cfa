package dev.pitwall.recorders.nsight;

import dev.pitwall.trace.Device;
import dev.pitwall.trace.LossLedger;
import dev.pitwall.trace.Recording;
import dev.pitwall.trace.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// One export being turned into a trace, table by table.
final class NsightExport {
  private static final int WARNING = 2;

  private final ExportTables tables;
  private final ExportTimeline timeline;

  NsightExport(ExportTables tables) {
    this.tables = tables;
    timeline = new ExportTimeline(tables);
  }

  Trace trace() {
    HostRows.read(tables, timeline);
    DeviceRows.read(tables, timeline);
    SynchronizationRows.read(tables, timeline);
    RangeRows.read(tables, timeline);
    CounterRows.read(tables, timeline);
    List<Device> devices = devices();
    noteWhatIsMissing();
    return timeline.builder.build(recording(devices));
  }

  private void noteWhatIsMissing() {
    LossLedger losses = timeline.builder.losses();
    losses.record(
        "cpu-samples",
        tables.count("COMPOSITE_EVENTS"),
        "CPU samples are in the export and not shown.");
    losses.record(
        "scheduler-events",
        tables.count("SCHED_EVENTS"),
        "Scheduler events are in the export and not shown.");
    if (tables.count("CUPTI_ACTIVITY_KIND_RUNTIME") == 0) {
      losses.record(
          "no-cuda-trace",
          "The export has no CUDA calls; record with: nsys profile --trace=cuda,nvtx,osrt …");
    }
    tables.forEach(
        "DIAGNOSTIC_EVENT",
        row -> {
          if (row.integer(0, 0) >= WARNING) {
            losses.record("recorder-diagnostic", "Nsight Systems says: " + row.text(1));
          }
        },
        "severity",
        "text");
    tables
        .damagedParts()
        .forEach(
            (table, parts) ->
                losses.record(
                    "damaged-table",
                    parts,
                    "Pages or rows of the table "
                        + table
                        + " are damaged and were skipped; export the report again."));
  }

  private List<Device> devices() {
    List<Device> devices = new ArrayList<>();
    tables.forEach(
        "TARGET_INFO_GPU",
        row ->
            devices.add(
                new Device(
                    (int) row.integer(0, devices.size()),
                    row.text(1),
                    row.integer(2, -1),
                    (int) row.integer(3, -1),
                    (int) row.integer(4, -1),
                    (int) row.integer(5, -1),
                    (int) row.integer(6, 32),
                    (int) (row.integer(7, -1) > 0 ? row.integer(7, -1) * row.integer(6, 32) : -1),
                    (int) row.integer(8, -1),
                    (int) row.integer(9, -1),
                    (int) row.integer(10, -1))),
        "id",
        "name",
        "totalMemory",
        "computeMajor",
        "computeMinor",
        "smCount",
        "threadsPerWarp",
        "maxWarpsPerSm",
        "maxRegistersPerSm",
        "maxShmemPerSm",
        "maxShmemPerBlockOptin");
    return devices;
  }

  private Recording recording(List<Device> devices) {
    long[] epoch = {-1};
    tables.forEach(
        "TARGET_INFO_SESSION_START_TIME", row -> epoch[0] = row.integer(0, -1), "utcEpochNs");
    Map<String, String> metadata = new TreeMap<>();
    for (String table : List.of("META_DATA_EXPORT", "EXPORT_META_DATA")) {
      tables.forEach(
          table,
          row -> {
            if (row.text(0).startsWith("EXPORT_")) {
              metadata.put(row.text(0), row.text(1));
            }
          },
          "name",
          "value");
    }
    return new Recording(
        "nsys",
        -1,
        "",
        -1,
        "",
        null,
        false,
        false,
        false,
        epoch[0],
        timeline.firstNanos(),
        timeline.lastNanos(),
        timeline.builder.slices(),
        -1,
        devices,
        List.of(),
        metadata);
  }
}
