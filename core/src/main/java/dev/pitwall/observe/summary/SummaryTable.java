package dev.pitwall.observe.summary;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/// One of `nsys stats`' tables over a whole recording (names and columns: NVIDIA, *Nsight Systems
/// User Guide*, "Statistical analysis, shipped scripts").
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
  /// the median of an even number is the mean of the middle two.
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
    int names = trace.names().size();
    int[] end = new int[names + 1];
    long total = 0;
    for (int row = 0; row < slices.size(); row++) {
      if (belongs(kind, trace, row)) {
        end[slices.nameId(row) + 1]++;
        total += slices.durationNanos(row);
      }
    }
    for (int name = 0; name < names; name++) {
      end[name + 1] += end[name];
    }
    // The durations of all rows, name after name.
    long[] durations = new long[end[names]];
    int[] next = Arrays.copyOf(end, names);
    for (int row = 0; row < slices.size(); row++) {
      if (belongs(kind, trace, row)) {
        durations[next[slices.nameId(row)]++] = slices.durationNanos(row);
      }
    }
    List<Row> rows = new ArrayList<>();
    for (int name = 0; name < names; name++) {
      if (end[name + 1] > end[name]) {
        rows.add(row(trace.names().text(name), durations, end[name], end[name + 1], total));
      }
    }
    rows.sort(Comparator.comparingLong(Row::totalNanos).reversed().thenComparing(Row::name));
    return new SummaryTable(kind, rows);
  }

  private static boolean belongs(Kind kind, Trace trace, int row) {
    Category category = trace.slices().category(row);
    return switch (kind) {
      // A CUDA graph recorded as a whole is no kernel to nsys stats.
      case CUDA_GPU_KERN_SUM ->
          category == Category.KERNEL
              && !trace.names().text(trace.slices().categoryNameId(row)).equals("cuda_graph");
      case CUDA_API_SUM -> category.isApiCall();
      case CUDA_GPU_MEM_TIME_SUM -> category == Category.MEMCPY || category == Category.MEMSET;
      case NVTX_SUM -> category == Category.USER_ANNOTATION || category == Category.CPU_OP;
    };
  }

  private static Row row(String name, long[] durations, int from, int to, long total) {
    Arrays.sort(durations, from, to);
    int instances = to - from;
    long sum = 0;
    for (int i = from; i < to; i++) {
      sum += durations[i];
    }
    double mean = (double) sum / instances;
    double squares = 0;
    for (int i = from; i < to; i++) {
      squares += (durations[i] - mean) * (durations[i] - mean);
    }
    int middle = from + instances / 2;
    return new Row(
        name,
        total == 0 ? 0 : (double) sum / total,
        sum,
        instances,
        mean,
        instances % 2 == 1 ? durations[middle] : (durations[middle - 1] + durations[middle]) / 2.0,
        durations[from],
        durations[to - 1],
        instances == 1 ? 0 : Math.sqrt(squares / (instances - 1)));
  }
}
