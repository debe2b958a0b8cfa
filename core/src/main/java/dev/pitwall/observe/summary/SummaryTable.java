package dev.pitwall.observe.summary;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.LongColumn;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// One of `nsys stats`' tables over a whole recording (names and columns: NVIDIA, *Nsight Systems
// User
/// Guide*, "Statistical analysis, shipped scripts").
///
/// @param kind which table
/// @param rows largest total first
public record SummaryTable(Kind kind, List<Row> rows) {
  public SummaryTable {
    rows = List.copyOf(rows);
  }

  /// The tables, by their names there.
  public enum Kind {
    CUDA_GPU_KERN_SUM,
    CUDA_API_SUM,
    CUDA_GPU_MEM_TIME_SUM,
    NVTX_SUM;

    /// `cuda_gpu_kern_sum`.
    public String reportName() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  /// One name. Times in nanoseconds; the standard deviation is the sample's, 0 for one instance;
  // the
  /// median of an even number is the mean of the middle two.
  public record Row(
      String name,
      double share,
      long totalNanos,
      int instances,
      double averageNanos,
      double medianNanos,
      long leastNanos,
      long mostNanos,
      double standardDeviationNanos) {}

  public static SummaryTable of(Trace trace, Kind kind) {
    Slices slices = trace.slices();
    Map<Integer, LongColumn> durations = new HashMap<>();
    long total = 0;
    for (int row = 0; row < slices.size(); row++) {
      if (belongs(kind, slices.category(row))) {
        durations
            .computeIfAbsent(slices.nameId(row), unseen -> new LongColumn())
            .add(slices.durationNanos(row));
        total += slices.durationNanos(row);
      }
    }
    List<Row> rows = new ArrayList<>();
    for (Map.Entry<Integer, LongColumn> entry : durations.entrySet()) {
      rows.add(row(trace.names().text(entry.getKey()), entry.getValue(), total));
    }
    rows.sort(Comparator.comparingLong(Row::totalNanos).reversed().thenComparing(Row::name));
    return new SummaryTable(kind, rows);
  }

  private static boolean belongs(Kind kind, Category category) {
    return switch (kind) {
      case CUDA_GPU_KERN_SUM -> category == Category.KERNEL;
      case CUDA_API_SUM -> category.isApiCall();
      case CUDA_GPU_MEM_TIME_SUM -> category == Category.MEMCPY || category == Category.MEMSET;
      case NVTX_SUM -> category == Category.USER_ANNOTATION || category == Category.CPU_OP;
    };
  }

  private static Row row(String name, LongColumn durations, long total) {
    long[] sorted = new long[durations.size()];
    long sum = 0;
    for (int i = 0; i < sorted.length; i++) {
      sorted[i] = durations.get(i);
      sum += sorted[i];
    }
    Arrays.sort(sorted);
    double mean = (double) sum / sorted.length;
    double squares = 0;
    for (long duration : sorted) {
      squares += (duration - mean) * (duration - mean);
    }
    int middle = sorted.length / 2;
    return new Row(
        name,
        total == 0 ? 0 : (double) sum / total,
        sum,
        sorted.length,
        mean,
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2.0,
        sorted[0],
        sorted[sorted.length - 1],
        sorted.length == 1 ? 0 : Math.sqrt(squares / (sorted.length - 1)));
  }
}
