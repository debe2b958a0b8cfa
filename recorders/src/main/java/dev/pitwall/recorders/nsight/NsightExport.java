package dev.pitwall.recorders.nsight;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Counter;
import dev.pitwall.trace.Device;
import dev.pitwall.trace.DoubleColumn;
import dev.pitwall.trace.LongColumn;
import dev.pitwall.trace.Recording;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceBuilder;
import dev.pitwall.trace.Track;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// One export being turned into columns. Times are nanoseconds since the session began, as in the
// file.
/// Names are made to look as torch.profiler writes them (`Memcpy HtoD (Pageable -> Device)`,
/// `cudaLaunchKernel` without its version), so that one set of rules serves both recorders.
final class NsightExport {
  private static final int NVTX_PUSH_POP = 59;
  private static final int NVTX_START_END = 60;
  private static final Pattern API_VERSION = Pattern.compile("(_ptsz|_ptds)?_v\\d+(_ptsz|_ptds)?$");
  private static final Pattern OPERATOR_SIZES = Pattern.compile("sizes = (\\[.*])");
  private static final String[] COPY_KINDS = {
    "?", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP", "HtoD",
    "DtoH", "DtoD"
  };
  private static final String[] MEMORY_KINDS = {
    "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static", "Unknown"
  };
  private static final String[] SYNC_KINDS = {
    "", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"
  };

  private final ExportTables tables;
  private final TraceBuilder builder = new TraceBuilder();
  private final Map<Long, Integer> nameIds = new HashMap<>();
  private final Map<Integer, Integer> apiNameIds = new HashMap<>();
  private final Map<Long, Integer> threadTracks = new HashMap<>();
  private final Map<List<Long>, Integer> streamTracks = new HashMap<>();
  private final Map<Long, Integer> processIndex = new HashMap<>();
  private final Map<Long, Integer> correlations = new HashMap<>();
  private final Map<Long, String> threadNames = new HashMap<>();
  private long firstNanos = Long.MAX_VALUE;
  private long lastNanos = Long.MIN_VALUE;

  NsightExport(ExportTables tables) {
    this.tables = tables;
  }

  Trace trace() {
    tables.forEach(
        "StringIds",
        row -> nameIds.put(row.integer(0, -1), builder.names().intern(row.text(1))),
        "id",
        "value");
    tables.forEach(
        "ThreadNames",
        row -> threadNames.put(row.integer(1, -1), string(row.integer(0, -1))),
        "nameId",
        "globalTid");
    readApiCalls();
    readKernels();
    readCopies();
    readSets();
    readGraphLaunches();
    readSynchronizations();
    readRanges();
    readOperatingSystemCalls();
    readOverhead();
    readMemoryUsage();
    readMetrics();
    noteWhatIsMissing();
    return builder.build(recording());
  }

  private void readApiCalls() {
    int category = builder.names().intern("cuda_runtime");
    tables.forEach(
        "CUPTI_ACTIVITY_KIND_RUNTIME",
        row ->
            slice(
                thread(row.integer(3, 0)),
                row.integer(2, 0) == 1 ? Category.DRIVER : Category.RUNTIME,
                category,
                apiName(row.integer(5, -1)),
                row.integer(0, 0),
                row.integer(1, 0),
                correlation(row.integer(3, 0) >>> 24 << 24, row.integer(4, -1)),
                Slices.NONE),
        "start",
        "end",
        "eventClass",
        "globalTid",
        "correlationId",
        "nameId");
  }

  private void readKernels() {
    int category = builder.names().intern("kernel");
    boolean demangled = tables.has("CUPTI_ACTIVITY_KIND_KERNEL", "demangledName");
    tables.forEach(
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
          slice(
              stream(row.integer(2, 0), row.integer(3, 0), row.integer(5, 0)),
              Category.KERNEL,
              category,
              nameIds.getOrDefault(row.integer(6, -1), 0),
              row.integer(0, 0),
              row.integer(1, 0),
              correlation(row.integer(5, 0), row.integer(4, -1)),
              detail);
        },
        "start",
        "end",
        "deviceId",
        "streamId",
        "correlationId",
        "globalPid",
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
    int category = builder.names().intern("gpu_memcpy");
    tables.forEach(
        "CUPTI_ACTIVITY_KIND_MEMCPY",
        row -> {
          String name =
              "Memcpy "
                  + word(COPY_KINDS, row.integer(7, 0))
                  + " ("
                  + word(MEMORY_KINDS, row.integer(8, 7))
                  + " -> "
                  + word(MEMORY_KINDS, row.integer(9, 7))
                  + ")";
          slice(
              stream(row.integer(2, 0), row.integer(3, 0), row.integer(5, 0)),
              Category.MEMCPY,
              category,
              builder.names().intern(name),
              row.integer(0, 0),
              row.integer(1, 0),
              correlation(row.integer(5, 0), row.integer(4, -1)),
              builder.deviceWork().add(-1, row.integer(6, -1), -1, -1, row.integer(10, -1)));
        },
        "start",
        "end",
        "deviceId",
        "streamId",
        "correlationId",
        "globalPid",
        "bytes",
        "copyKind",
        "srcKind",
        "dstKind",
        "graphNodeId");
  }

  private void readSets() {
    int category = builder.names().intern("gpu_memset");
    tables.forEach(
        "CUPTI_ACTIVITY_KIND_MEMSET",
        row ->
            slice(
                stream(row.integer(2, 0), row.integer(3, 0), row.integer(5, 0)),
                Category.MEMSET,
                category,
                builder.names().intern("Memset (" + word(MEMORY_KINDS, row.integer(7, 2)) + ")"),
                row.integer(0, 0),
                row.integer(1, 0),
                correlation(row.integer(5, 0), row.integer(4, -1)),
                builder.deviceWork().add(-1, row.integer(6, -1), -1, -1, row.integer(8, -1))),
        "start",
        "end",
        "deviceId",
        "streamId",
        "correlationId",
        "globalPid",
        "bytes",
        "memKind",
        "graphNodeId");
  }

  /// A graph traced as a whole has one row here and no kernels of its own.
  private void readGraphLaunches() {
    int category = builder.names().intern("cuda_graph");
    tables.forEach(
        "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
        row ->
            slice(
                stream(row.integer(2, 0), row.integer(3, 0), row.integer(5, 0)),
                Category.KERNEL,
                category,
                builder.names().intern("CUDA graph " + row.integer(6, 0)),
                row.integer(0, 0),
                row.integer(1, 0),
                correlation(row.integer(5, 0), row.integer(4, -1)),
                Slices.NONE),
        "start",
        "end",
        "deviceId",
        "streamId",
        "correlationId",
        "globalPid",
        "graphId");
  }

  private void readSynchronizations() {
    Map<Long, Integer> recordOfEvent = new HashMap<>();
    tables.forEach(
        "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
        row ->
            recordOfEvent.put(
                row.integer(0, -1), correlation(row.integer(2, 0), row.integer(1, -1))),
        "eventSyncId",
        "correlationId",
        "globalPid");
    int category = builder.names().intern("cuda_sync");
    Map<Long, Integer> lanes = new HashMap<>();
    tables.forEach(
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
        row -> {
          String kind = word(SYNC_KINDS, row.integer(6, 0));
          int kindId = builder.names().intern(kind.isEmpty() ? "Synchronization" : kind);
          long waitingStream = row.integer(3, -1);
          int lane =
              lanes.computeIfAbsent(
                  row.integer(2, 0),
                  device ->
                      builder.addTrack(
                          Track.Kind.OTHER,
                          Long.toString(device),
                          "sync",
                          "synchronization (GPU " + device + ")",
                          device.intValue(),
                          -1));
          int detail =
              builder
                  .syncs()
                  .add(
                      kindId,
                      waitingStream,
                      -1,
                      recordOfEvent.getOrDefault(row.integer(7, -2), -1));
          slice(
              lane,
              Category.DEVICE_SYNC,
              category,
              kindId,
              row.integer(0, 0),
              row.integer(1, 0),
              correlation(row.integer(5, 0), row.integer(4, -1)),
              detail);
        },
        "start",
        "end",
        "deviceId",
        "streamId",
        "correlationId",
        "globalPid",
        "syncType",
        "eventSyncId");
  }

  /// NVTX ranges. Those that `torch.autograd.profiler.emit_nvtx` makes are operators and read as
  // such.
  private void readRanges() {
    int annotation = builder.names().intern("user_annotation");
    int operator = builder.names().intern("cpu_op");
    tables.forEach(
        "NVTX_EVENTS",
        row -> {
          long type = row.integer(2, 0);
          long end = row.integer(1, -1);
          if ((type != NVTX_PUSH_POP && type != NVTX_START_END) || end < 0) {
            return;
          }
          String text = row.text(3).isEmpty() ? string(row.integer(4, -1)) : row.text(3);
          boolean isOperator = text.startsWith("aten::") || text.startsWith("autograd::");
          int detail = Slices.NONE;
          if (isOperator) {
            java.util.regex.Matcher sizes = OPERATOR_SIZES.matcher(text);
            int shapes = sizes.find() ? builder.names().intern(sizes.group(1)) : 0;
            detail = builder.operators().add(shapes, 0, 0, 0, -1, -1, -1, 0);
            int comma = text.indexOf(',');
            text = comma > 0 ? text.substring(0, comma) : text;
          }
          slice(
              thread(row.integer(5, 0)),
              isOperator ? Category.CPU_OP : Category.USER_ANNOTATION,
              isOperator ? operator : annotation,
              builder.names().intern(text),
              row.integer(0, 0),
              end,
              Slices.NONE,
              detail);
        },
        "start",
        "end",
        "eventType",
        "text",
        "textId",
        "globalTid");
  }

  private void readOperatingSystemCalls() {
    int category = builder.names().intern("os_runtime");
    tables.forEach(
        "OSRT_API",
        row ->
            slice(
                thread(row.integer(2, 0)),
                Category.OS_RUNTIME,
                category,
                nameIds.getOrDefault(row.integer(3, -1), 0),
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
    int category = builder.names().intern("overhead");
    for (String table : List.of("PROFILER_OVERHEAD", "CUPTI_ACTIVITY_KIND_OVERHEAD")) {
      int[] lane = {-1};
      tables.forEach(
          table,
          row -> {
            if (lane[0] < 0) {
              lane[0] =
                  builder.addTrack(
                      Track.Kind.OTHER, "profiler", table, "profiler overhead", -1, -1);
            }
            slice(
                lane[0],
                Category.OVERHEAD,
                category,
                nameIds.getOrDefault(row.integer(2, -1), 0),
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

  /// Device memory as the driver gives it out: operation 0 allocates, 1 frees.
  private void readMemoryUsage() {
    Map<Long, Long> allocatedBytes = new HashMap<>();
    tables.forEach(
        "CUDA_GPU_MEMORY_USAGE_EVENTS",
        row -> {
          long device = row.integer(1, 0);
          long bytes = row.integer(3, 0) == 1 ? -row.integer(2, 0) : row.integer(2, 0);
          long total = allocatedBytes.merge(device, bytes, Long::sum);
          builder
              .memoryEvents()
              .add(row.integer(0, 0), row.integer(4, 0), bytes, total, total, (int) device, -1);
        },
        "start",
        "deviceId",
        "bytes",
        "memoryOperationType",
        "address");
  }

  private void readMetrics() {
    Map<List<Long>, String> metricNames = new HashMap<>();
    tables.forEach(
        "TARGET_INFO_GPU_METRICS",
        row -> metricNames.put(List.of(row.integer(0, 0), row.integer(1, 0)), row.text(2)),
        "typeId",
        "metricId",
        "metricName");
    Map<List<Long>, Counter> counters =
        new TreeMap<>(
            java.util.Comparator.<List<Long>>comparingLong(List::getFirst)
                .thenComparingLong(List::getLast));
    tables.forEach(
        "GPU_METRICS",
        row -> {
          List<Long> key = List.of(row.integer(1, 0), row.integer(2, 0));
          Counter counter =
              counters.computeIfAbsent(
                  key,
                  unseen -> {
                    String name = metricNames.getOrDefault(key, "metric " + key.getLast());
                    String unit = name.contains("%") ? "%" : name.contains("MB") ? "MB/s" : "";
                    return new Counter(
                        name,
                        unit,
                        (int) (key.getFirst() & 0xFF),
                        new LongColumn(),
                        new DoubleColumn());
                  });
          counter.timeNanos().add(row.integer(0, 0));
          counter.values().add(row.number(3, 0));
        },
        "timestamp",
        "typeId",
        "metricId",
        "value");
    counters.values().forEach(builder::addCounter);
  }

  private void noteWhatIsMissing() {
    long samples = tables.count("COMPOSITE_EVENTS");
    builder.losses().record("cpu-samples", samples, "CPU samples are in the export and not shown.");
    builder
        .losses()
        .record(
            "scheduler-events",
            tables.count("SCHED_EVENTS"),
            "Scheduler events are in the export and not shown.");
    if (tables.count("CUPTI_ACTIVITY_KIND_RUNTIME") == 0) {
      builder
          .losses()
          .record(
              "no-cuda-trace",
              "The export has no CUDA calls; record with: nsys profile --trace=cuda,nvtx,osrt …");
    }
    tables.forEach(
        "DIAGNOSTIC_EVENT",
        row -> {
          if (row.integer(0, 0) >= 2) {
            builder.losses().record("recorder-diagnostic", "Nsight Systems says: " + row.text(1));
          }
        },
        "severity",
        "text");
  }

  private Recording recording() {
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
    boolean empty = firstNanos > lastNanos;
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
        empty ? 0 : firstNanos,
        empty ? 0 : lastNanos,
        builder.slices(),
        -1,
        devices,
        List.of(),
        metadata);
  }

  private void slice(
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

  private int thread(long globalThreadId) {
    return threadTracks.computeIfAbsent(
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

  private int stream(long device, long stream, long globalPid) {
    return streamTracks.computeIfAbsent(
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

  /// Correlation ids count from 1 in every process, so those of a second process are numbered anew.
  private int correlation(long globalPid, long id) {
    if (id < 0) {
      return Slices.NONE;
    }
    int process = processIndex.computeIfAbsent(globalPid, unseen -> processIndex.size());
    if (process == 0 && id <= Integer.MAX_VALUE / 2) {
      return (int) id;
    }
    return correlations.computeIfAbsent(
        (long) process << 40 ^ id, unseen -> Integer.MAX_VALUE - 1 - correlations.size());
  }

  private int apiName(long nameId) {
    int id = nameIds.getOrDefault(nameId, 0);
    return apiNameIds.computeIfAbsent(
        id,
        unseen ->
            builder.names().intern(API_VERSION.matcher(builder.names().text(id)).replaceFirst("")));
  }

  private String string(long id) {
    return builder.names().text(nameIds.getOrDefault(id, 0));
  }

  private static String word(String[] words, long index) {
    return index >= 0 && index < words.length ? words[(int) index] : "Unknown";
  }
}
