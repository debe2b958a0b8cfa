package dev.pitwall.observe.hta;

import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Five analyses of HTA on one rank. Times in microseconds, percentages with HTA's decimals.
///
/// @param temporal null where HTA fails because no device row is left
/// @param overlapPercent computation during communication; NaN without communication
/// @param kernelTypes sum by type or overlap of types, largest first
/// @param idle idle time by stream and category
/// @param queues length of the launch queue by stream
public record HtaBreakdown(
    @Nullable Temporal temporal,
    double overlapPercent,
    List<TypeShare> kernelTypes,
    List<Idle> idle,
    List<Queue> queues) {
  /// Launch calls that count for the queue (`hta/utils/utils.py`).
  private static final Set<String> LAUNCHES =
      Set.of(
          "cudaLaunchKernel",
          "cudaLaunchKernelExC",
          "cuLaunchKernel",
          "cuLaunchKernelEx",
          "cudaMemcpyAsync",
          "cudaMemsetAsync",
          "hipLaunchKernel",
          "hipExtModuleLaunchKernel",
          "hipMemsetAsync",
          "hipMemcpyAsync",
          "hipMemcpyWithStream");

  private static final double CONSECUTIVE_KERNEL_DELAY_MICROS = 30;

  /// `get_temporal_breakdown`. Of `kernelMicros`, the time from the first to the last device row,
  /// everything busy that is not compute is `nonComputeMicros`.
  public record Temporal(
      double idleMicros, double computeMicros, double nonComputeMicros, double kernelMicros) {
    public double percent(double micros) {
      return rounded(100 * micros / kernelMicros, 100);
    }
  }

  /// A row of the kernel-type table of `get_gpu_kernel_breakdown`.
  public record TypeShare(String type, double micros, double percent) {}

  /// A row of `get_idle_time_breakdown`; the ratio is NaN where the stream was never idle.
  public record Idle(long stream, String category, double micros, double ratio) {}

  /// A row of `get_queue_length_summary`: pandas' `describe` of the values at its changes.
  ///
  /// @param ties pairs of a launch and a start at the same moment; HTA's sort leaves their order
  ///     open, and either order moves the sum by 2, so its mean may differ by up to `2 * ties /
  ///     count`
  public record Queue(
      long stream,
      int count,
      int ties,
      double mean,
      double deviation,
      double min,
      double quarter,
      double half,
      double threeQuarters,
      double max) {}

  /// The five analyses.
  ///
  /// @param includeLastStep `include_last_profiler_step`, false by default in HTA
  /// @param rounding whether times are rounded inwards to microseconds, as HTA does by default
  public static HtaBreakdown of(Trace trace, boolean includeLastStep, boolean rounding) {
    HtaFrame frame = new HtaFrame(trace, includeLastStep, rounding);
    return new HtaBreakdown(
        temporal(frame), overlap(frame), kernelTypes(frame), idle(frame), queues(frame));
  }

  private static @Nullable Temporal temporal(HtaFrame frame) {
    if (frame.deviceRows.length == 0) {
      return null;
    }
    Intervals all = merged(frame, null);
    double span = all.ends()[all.size() - 1] - all.starts()[0];
    double idle = span - all.total();
    double compute = merged(frame, KernelType.COMPUTATION).total();
    return new Temporal(idle, compute, span - compute - idle, span);
  }

  private static double overlap(HtaFrame frame) {
    Intervals communication = merged(frame, KernelType.COMMUNICATION);
    if (communication.size() == 0) {
      return Double.NaN;
    }
    Intervals computation = merged(frame, KernelType.COMPUTATION);
    double both = 0;
    int a = 0;
    int b = 0;
    while (a < communication.size() && b < computation.size()) {
      double from = Math.max(communication.starts()[a], computation.starts()[b]);
      double to = Math.min(communication.ends()[a], computation.ends()[b]);
      both += Math.max(0, to - from);
      if (communication.ends()[a] < computation.ends()[b]) {
        a++;
      } else {
        b++;
      }
    }
    return rounded(100 * both / communication.total(), 100);
  }

  private static List<TypeShare> kernelTypes(HtaFrame frame) {
    KernelType[] types = {
      KernelType.COMPUTATION, KernelType.COMMUNICATION, KernelType.MEMORY,
    };
    TreeMap<Double, int[]> changes = new TreeMap<>();
    for (int type = 0; type < types.length; type++) {
      Intervals merged = merged(frame, types[type]);
      for (int i = 0; i < merged.size(); i++) {
        changes.computeIfAbsent(merged.starts()[i], unused -> new int[types.length])[type]++;
        changes.computeIfAbsent(merged.ends()[i], unused -> new int[types.length])[type]--;
      }
    }
    Map<String, Double> sums = new LinkedHashMap<>();
    int[] active = new int[types.length];
    double from = 0;
    for (Map.Entry<Double, int[]> change : changes.entrySet()) {
      String label = label(types, active);
      if (!label.isEmpty()) {
        sums.merge(label, Math.floor(change.getKey() - from), Double::sum);
      }
      for (int type = 0; type < types.length; type++) {
        active[type] += change.getValue()[type];
      }
      from = change.getKey();
    }
    double all = sums.values().stream().mapToDouble(Double::doubleValue).sum();
    return sums.entrySet().stream()
        .filter(entry -> entry.getValue() > 0)
        .sorted((x, y) -> Double.compare(y.getValue(), x.getValue()))
        .map(
            entry ->
                new TypeShare(
                    entry.getKey(), entry.getValue(), rounded(100 * entry.getValue() / all, 10)))
        .toList();
  }

  private static String label(KernelType[] types, int[] active) {
    StringBuilder label = new StringBuilder();
    for (int type = 0; type < types.length; type++) {
      if (active[type] > 0) {
        label.append(label.isEmpty() ? "" : " overlapping ").append(types[type].name());
      }
    }
    return label.toString();
  }

  private static List<Idle> idle(HtaFrame frame) {
    List<Idle> table = new ArrayList<>();
    for (long stream : frame.streams()) {
      double hostWait = 0;
      double kernelWait = 0;
      double other = 0;
      boolean anyHostWait = false;
      boolean anyKernelWait = false;
      double previousEnd = Double.NaN;
      boolean any = false;
      for (int i = 0; i < frame.deviceRows.length; i++) {
        int row = frame.deviceRows[i];
        if (frame.stream(row) != stream || !frame.category(row).isDeviceWork()) {
          continue;
        }
        any = true;
        double gap = frame.start(row) - previousEnd;
        int launch = frame.launchRows[i];
        if (launch != Slices.NONE && frame.start(launch) > previousEnd) {
          hostWait += gap;
          anyHostWait = true;
        } else if (gap < CONSECUTIVE_KERNEL_DELAY_MICROS) {
          kernelWait += gap;
          anyKernelWait = true;
        } else if (!Double.isNaN(gap)) {
          other += gap;
        }
        previousEnd = frame.end(row);
      }
      if (!any) {
        continue;
      }
      double all = hostWait + kernelWait + other;
      if (anyHostWait) {
        table.add(
            new Idle(stream, "host_wait", rounded(hostWait, 100), rounded(hostWait / all, 100)));
      }
      if (anyKernelWait) {
        table.add(
            new Idle(
                stream, "kernel_wait", rounded(kernelWait, 100), rounded(kernelWait / all, 100)));
      }
      table.add(new Idle(stream, "other", rounded(other, 100), rounded(other / all, 100)));
    }
    return table;
  }

  private static List<Queue> queues(HtaFrame frame) {
    List<Queue> table = new ArrayList<>();
    for (long stream : frame.streams()) {
      List<double[]> changes = new ArrayList<>();
      List<double[]> starts = new ArrayList<>();
      for (int i = 0; i < frame.deviceRows.length; i++) {
        int launch = frame.launchRows[i];
        if (launch != Slices.NONE
            && frame.stream(frame.deviceRows[i]) == stream
            && LAUNCHES.contains(frame.name(launch))) {
          changes.add(new double[] {frame.start(launch), 1});
          starts.add(new double[] {frame.start(frame.deviceRows[i]), -1});
        }
      }
      // At equal times a launch counts before a start. HTA's sort leaves their order open.
      changes.addAll(starts);
      if (!changes.isEmpty()) {
        table.add(describe(stream, changes));
      }
    }
    return table;
  }

  private static Queue describe(long stream, List<double[]> changes) {
    changes.sort((a, b) -> Double.compare(a[0], b[0]));
    double[] lengths = new double[changes.size()];
    double length = 0;
    double sum = 0;
    for (int i = 0; i < lengths.length; i++) {
      length += changes.get(i)[1];
      lengths[i] = length;
      sum += length;
    }
    int ties = 0;
    int launches = 0;
    for (int i = 0; i < lengths.length; i++) {
      boolean sameMoment = i > 0 && changes.get(i)[0] == changes.get(i - 1)[0];
      launches = sameMoment ? launches : 0;
      if (changes.get(i)[1] > 0) {
        launches++;
      } else {
        ties += launches;
      }
    }
    double mean = sum / lengths.length;
    double squares = 0;
    for (double value : lengths) {
      squares += (value - mean) * (value - mean);
    }
    double[] sorted = lengths.clone();
    Arrays.sort(sorted);
    return new Queue(
        stream,
        lengths.length,
        ties,
        mean,
        Math.sqrt(squares / (lengths.length - 1)),
        sorted[0],
        quantile(sorted, 0.25),
        quantile(sorted, 0.5),
        quantile(sorted, 0.75),
        sorted[sorted.length - 1]);
  }

  private static double quantile(double[] sorted, double share) {
    double at = share * (sorted.length - 1);
    int below = (int) Math.floor(at);
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
  }

  /// The merged device rows of one type, or of all.
  private static Intervals merged(HtaFrame frame, @Nullable KernelType type) {
    int size = 0;
    double[] starts = new double[frame.deviceRows.length];
    double[] ends = new double[frame.deviceRows.length];
    for (int row : frame.deviceRows) {
      if (type == null || KernelType.of(frame.name(row)) == type) {
        starts[size] = frame.start(row);
        ends[size++] = frame.end(row);
      }
    }
    return Intervals.merged(Arrays.copyOf(starts, size), Arrays.copyOf(ends, size));
  }

  private static double rounded(double value, int units) {
    return Double.isNaN(value) ? value : Math.rint(value * units) / units;
  }

  /// Whether HTA's own assertions would have stopped it here: rounding made a sum negative.
  public boolean wouldFailInHta() {
    return temporal == null
        || temporal.nonComputeMicros() < 0
        || temporal.computeMicros() > temporal.kernelMicros()
        || temporal.idleMicros() > temporal.kernelMicros();
  }

  /// Whether any device row was kept.
  public boolean isEmpty() {
    return temporal == null;
  }
}
