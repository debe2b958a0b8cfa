package dev.pitwall.recorders.nsight;

import dev.pitwall.trace.Counter;
import dev.pitwall.trace.DoubleColumn;
import dev.pitwall.trace.LongColumn;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/// Values over time: the metrics sampled on the device, and its memory as the driver gives it out.
final class CounterRows {
  /// The operation of a memory event that gives memory back; 0 takes it.
  private static final int FREE = 1;

  /// A metric of one device; its number differs between versions and devices, its name does not.
  private record Metric(long type, long number) {
    int device() {
      return (int) (type & 0xFF);
    }
  }

  private CounterRows() {}

  static void read(ExportTables tables, ExportTimeline timeline) {
    readMemoryUsage(tables, timeline);
    readMetrics(tables, timeline);
  }

  private static void readMemoryUsage(ExportTables tables, ExportTimeline timeline) {
    Map<Long, Long> allocatedBytes = new HashMap<>();
    tables.forEach(
        "CUDA_GPU_MEMORY_USAGE_EVENTS",
        row -> {
          long device = row.integer(1, 0);
          long bytes = row.integer(3, 0) == FREE ? -row.integer(2, 0) : row.integer(2, 0);
          long total = allocatedBytes.merge(device, bytes, Long::sum);
          timeline
              .builder
              .memoryEvents()
              .add(row.integer(0, 0), row.integer(4, 0), bytes, total, total, (int) device, -1);
        },
        "start",
        "deviceId",
        "bytes",
        "memoryOperationType",
        "address");
  }

  private static void readMetrics(ExportTables tables, ExportTimeline timeline) {
    Map<Metric, String> names = new HashMap<>();
    tables.forEach(
        "TARGET_INFO_GPU_METRICS",
        row -> names.put(new Metric(row.integer(0, 0), row.integer(1, 0)), row.text(2)),
        "typeId",
        "metricId",
        "metricName");
    Map<Metric, Counter> counters =
        new TreeMap<>(Comparator.comparingLong(Metric::type).thenComparingLong(Metric::number));
    tables.forEach(
        "GPU_METRICS",
        row -> {
          Metric metric = new Metric(row.integer(1, 0), row.integer(2, 0));
          Counter counter =
              counters.computeIfAbsent(
                  metric,
                  unseen -> {
                    String name = names.getOrDefault(metric, "metric " + metric.number());
                    String unit = name.contains("%") ? "%" : name.contains("MB") ? "MB/s" : "";
                    return new Counter(
                        name, unit, metric.device(), new LongColumn(), new DoubleColumn());
                  });
          counter.timeNanos().add(row.integer(0, 0));
          counter.values().add(row.number(3, 0));
        },
        "timestamp",
        "typeId",
        "metricId",
        "value");
    counters.values().forEach(timeline.builder::addCounter);
  }
}
