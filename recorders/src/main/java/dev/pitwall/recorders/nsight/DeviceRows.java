package dev.pitwall.recorders.nsight;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceBuilder;

/// What the device did: kernels, copies, sets and CUDA graphs. Names are made to look as
/// torch.profiler writes them (`Memcpy HtoD (Pageable -> Device)`), so that one set of rules serves
/// both recorders.
final class DeviceRows {
  private static final String[] COPY_KINDS = {
    "?", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP", "HtoD",
    "DtoH", "DtoD"
  };
  private static final String[] MEMORY_KINDS = {
    "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static", "Unknown"
  };
  private static final int UNKNOWN_MEMORY = 7;
  private static final int DEVICE_MEMORY = 2;

  private final ExportTables tables;
  private final ExportTimeline timeline;
  private final TraceBuilder builder;
  private final int[] copyNames = new int[1 << 12];

  private DeviceRows(ExportTables tables, ExportTimeline timeline) {
    this.tables = tables;
    this.timeline = timeline;
    builder = timeline.builder;
  }

  static void read(ExportTables tables, ExportTimeline timeline) {
    DeviceRows rows = new DeviceRows(tables, timeline);
    rows.readKernels();
    rows.readCopies();
    rows.readSets();
    rows.readGraphLaunches();
  }

  private void readKernels() {
    int category = timeline.names().intern("kernel");
    boolean demangled = tables.has("CUPTI_ACTIVITY_KIND_KERNEL", "demangledName");
    tables.forEachActivity(
        "CUPTI_ACTIVITY_KIND_KERNEL",
        row -> {
          int launch =
              builder.internLaunch(
                  (int) row.integer(7, -1),
                  (int) row.integer(8, -1),
                  (int) row.integer(9, -1),
                  (int) row.integer(10, -1),
                  (int) row.integer(11, -1),
                  (int) row.integer(12, -1),
                  (int) row.integer(13, -1),
                  (int) (row.integer(14, 0) + row.integer(15, 0)));
          int detail = builder.deviceWork().add(launch, -1, -1, -1, row.integer(16, -1));
          add(row, Category.KERNEL, category, timeline.strings.name(row.integer(6, -1)), detail);
        },
        demangled ? "demangledName" : "shortName",
        "gridX",
        "gridY",
        "gridZ",
        "blockX",
        "blockY",
        "blockZ",
        "registersPerThread",
        "staticSharedMemory",
        "dynamicSharedMemory",
        "graphNodeId");
  }

  private void readCopies() {
    int category = timeline.names().intern("gpu_memcpy");
    tables.forEachActivity(
        "CUPTI_ACTIVITY_KIND_MEMCPY",
        row ->
            add(
                row,
                Category.MEMCPY,
                category,
                copyName(
                    row.integer(7, 0),
                    row.integer(8, UNKNOWN_MEMORY),
                    row.integer(9, UNKNOWN_MEMORY)),
                builder.deviceWork().add(-1, row.integer(6, -1), -1, -1, row.integer(10, -1))),
        "bytes",
        "copyKind",
        "srcKind",
        "dstKind",
        "graphNodeId");
  }

  private int copyName(long kind, long source, long target) {
    int slot = (int) ((kind & 0xF) << 8 | (source & 0xF) << 4 | target & 0xF);
    boolean small = kind < 16 && source < 16 && target < 16;
    if (small && copyNames[slot] != 0) {
      return copyNames[slot];
    }
    int name =
        timeline
            .names()
            .intern(
                "Memcpy "
                    + word(COPY_KINDS, kind)
                    + " ("
                    + word(MEMORY_KINDS, source)
                    + " -> "
                    + word(MEMORY_KINDS, target)
                    + ")");
    if (small) {
      copyNames[slot] = name;
    }
    return name;
  }

  private void readSets() {
    int category = timeline.names().intern("gpu_memset");
    tables.forEachActivity(
        "CUPTI_ACTIVITY_KIND_MEMSET",
        row ->
            add(
                row,
                Category.MEMSET,
                category,
                timeline
                    .names()
                    .intern("Memset (" + word(MEMORY_KINDS, row.integer(7, DEVICE_MEMORY)) + ")"),
                builder.deviceWork().add(-1, row.integer(6, -1), -1, -1, row.integer(8, -1))),
        "bytes",
        "memKind",
        "graphNodeId");
  }

  /// A graph traced as a whole has one row here and no kernels of its own.
  private void readGraphLaunches() {
    int category = timeline.names().intern("cuda_graph");
    tables.forEachActivity(
        "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
        row ->
            add(
                row,
                Category.KERNEL,
                category,
                timeline.names().intern("CUDA graph " + row.integer(6, 0)),
                Slices.NONE),
        "graphId");
  }

  /// Adds a row whose first six columns are times, place and launch.
  private void add(ExportRow row, Category kind, int category, int name, int detail) {
    long process = row.integer(5, 0);
    timeline.slice(
        timeline.stream(row.integer(2, 0), row.integer(3, 0), process),
        kind,
        category,
        name,
        row.integer(0, 0),
        row.integer(1, 0),
        timeline.correlation(process, row.integer(4, -1)),
        detail);
  }

  private static String word(String[] words, long index) {
    return index >= 0 && index < words.length ? words[(int) index] : "Unknown";
  }
}
