package dev.pitwall.observe;

import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.KernelNames;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Everything gear 1 measures on one rank's trace; what rules judge and reports show. Building it
/// takes a few passes over the slices, whatever the number of steps.
///
/// @param kernelNames classes of the trace's kernel names
/// @param devices devices that ran work, the busiest first; `deviceTime` is the busiest one's
/// @param deviceTime null where the trace has no device work
/// @param queueLength null likewise
/// @param memory null where memory was not recorded
public record Observation(
    TraceIndex index,
    KernelNames kernelNames,
    RecordingQuality quality,
    List<Integer> devices,
    @Nullable DeviceTime deviceTime,
    StepWindows windows,
    HostTime host,
    List<KernelStatistics> kernels,
    List<OperatorStatistics> operators,
    List<RangeStatistics> ranges,
    List<CollectiveStatistics> collectives,
    @Nullable Series queueLength,
    @Nullable MemoryUse memory) {
  /// Measures a trace.
  public static Observation of(TraceIndex index) {
    KernelNames kernelNames = new KernelNames(index.trace().names());
    RecordingQuality quality = RecordingQuality.of(index);
    List<Integer> devices = DeviceRows.busiestFirst(index.trace());
    DeviceTime deviceTime =
        devices.isEmpty() ? null : DeviceTime.of(index, devices.getFirst(), kernelNames, quality);
    int[] deviceRows = deviceTime == null ? new int[0] : deviceTime.deviceRows();
    StepWindows windows =
        deviceTime == null ? StepWindows.of(index, deviceRows) : deviceTime.windows();
    return new Observation(
        index,
        kernelNames,
        quality,
        devices,
        deviceTime,
        windows,
        HostTime.of(index),
        KernelStatistics.of(index, deviceRows, kernelNames),
        OperatorStatistics.of(index),
        RangeStatistics.of(index),
        CollectiveStatistics.of(index, deviceRows, kernelNames),
        deviceTime == null ? null : QueueLength.of(index, deviceRows, windows),
        MemoryUse.of(index));
  }

  /// Median step in milliseconds as recorded, profiler included; 0 where nothing was recorded.
  public double stepMillis() {
    return windows.medianMinMaxMillis()[0];
  }

  /// Steps to divide totals by: at least one.
  public int stepCount() {
    return windows.count();
  }

  /// The first device row of this name inside a step, -1 where there is none.
  public int firstInStep(int nameId) {
    if (deviceTime != null) {
      for (int row : deviceTime.deviceRows()) {
        if (index.trace().slices().nameId(row) == nameId && index.countedStepOf(row) >= 0) {
          return row;
        }
      }
    }
    return -1;
  }

  /// Milliseconds of one step on average.
  public double millisPerStep(long nanos) {
    return nanos / 1e6 / stepCount();
  }
}
