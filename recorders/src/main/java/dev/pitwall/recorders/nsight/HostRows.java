package dev.pitwall.recorders.nsight;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Track;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/// What the processor did: calls of CUDA and of the operating system, and the recorder's own cost.
final class HostRows {
  private static final Pattern API_VERSION = Pattern.compile("(_ptsz|_ptds)?_v\\d+(_ptsz|_ptds)?$");

  private final ExportTables tables;
  private final ExportTimeline timeline;
  private final Map<Integer, Integer> nameWithoutVersion = new HashMap<>();

  private HostRows(ExportTables tables, ExportTimeline timeline) {
    this.tables = tables;
    this.timeline = timeline;
  }

  static void read(ExportTables tables, ExportTimeline timeline) {
    HostRows rows = new HostRows(tables, timeline);
    rows.readApiCalls();
    rows.readOperatingSystemCalls();
    rows.readOverhead();
  }

  private void readApiCalls() {
    int category = timeline.names().intern("cuda_runtime");
    tables.forEach(
        "CUPTI_ACTIVITY_KIND_RUNTIME",
        row -> {
          long thread = row.integer(3, 0);
          timeline.slice(
              timeline.thread(thread),
              row.integer(2, 0) == 1 ? Category.DRIVER : Category.RUNTIME,
              category,
              apiName(timeline.strings.name(row.integer(5, -1))),
              row.integer(0, 0),
              row.integer(1, 0),
              timeline.correlation(thread >>> 24 << 24, row.integer(4, -1)),
              Slices.NONE);
        },
        "start",
        "end",
        "eventClass",
        "globalTid",
        "correlationId",
        "nameId");
  }

  private void readOperatingSystemCalls() {
    int category = timeline.names().intern("os_runtime");
    tables.forEach(
        "OSRT_API",
        row ->
            timeline.slice(
                timeline.thread(row.integer(2, 0)),
                Category.OS_RUNTIME,
                category,
                timeline.strings.name(row.integer(3, -1)),
                row.integer(0, 0),
                row.integer(1, 0),
                Slices.NONE,
                Slices.NONE),
        "start",
        "end",
        "globalTid",
        "nameId");
  }

  private void readOverhead() {
    int category = timeline.names().intern("overhead");
    for (String table : List.of("PROFILER_OVERHEAD", "CUPTI_ACTIVITY_KIND_OVERHEAD")) {
      int[] lane = {-1};
      tables.forEach(
          table,
          row -> {
            if (lane[0] < 0) {
              lane[0] =
                  timeline.builder.addTrack(
                      Track.Kind.OTHER, "profiler", table, "profiler overhead", -1, -1);
            }
            timeline.slice(
                lane[0],
                Category.OVERHEAD,
                category,
                timeline.strings.name(row.integer(2, -1)),
                row.integer(0, 0),
                row.integer(1, 0),
                Slices.NONE,
                Slices.NONE);
          },
          "start",
          "end",
          "nameId");
    }
  }

  /// `cudaLaunchKernel` for `cudaLaunchKernel_v7000`, as torch.profiler writes it.
  private int apiName(int name) {
    return nameWithoutVersion.computeIfAbsent(
        name,
        unseen ->
            timeline
                .names()
                .intern(API_VERSION.matcher(timeline.names().text(name)).replaceFirst("")));
  }
}
