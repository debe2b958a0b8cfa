package dev.pitwall.capture;

import dev.pitwall.json.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What one process recorded, as far as it came.
///
/// @param name such as `rank0`; its files begin with it
/// @param start the process: versions, device, arguments
/// @param stepMarker where the step was found, such as `optimizer AdamW`; null before the warm-up
///     is over
/// @param steps every step seen, in order
/// @param truth the unprofiled pass, the fields of the rank's line in `truth.jsonl`; `NULL` before
///     it was complete
/// @param traceFile the profiled window's file in the folder; null where there is none
/// @param loader the loader's description and its tried settings, for a loader run
/// @param faults what went wrong in the recording itself
/// @param ended why and where the recording ended; null where it was cut off
public record RankRecording(
    String name,
    Json start,
    @Nullable String stepMarker,
    List<Step> steps,
    Json truth,
    @Nullable String traceFile,
    Json loader,
    List<Json> loaderSettings,
    List<String> faults,
    @Nullable String ended) {
  /// One training step, from one step end to the next.
  ///
  /// @param phase `warmup`, `settling`, `measure` or `window`
  /// @param activeBytes allocated device memory in use at the step's end; -1 where not read
  public record Step(
      String phase,
      int index,
      long wallNanos,
      long loaderWaitNanos,
      int batches,
      long activeBytes,
      long residentBytes) {}

  public RankRecording {
    steps = List.copyOf(steps);
    loaderSettings = List.copyOf(loaderSettings);
    faults = List.copyOf(faults);
  }

  /// The steps of one phase.
  public List<Step> steps(String phase) {
    return steps.stream().filter(step -> step.phase().equals(phase)).toList();
  }

  /// The measured step without the profiler in milliseconds; NaN before the pass was complete.
  public double stepMillis() {
    return truth.get("step_ms").number(Double.NaN);
  }

  /// Batches that a step takes from its loader; 0 for a program without one.
  public double batchesPerStep() {
    return steps("measure").stream().mapToInt(Step::batches).average().orElse(0);
  }

  /// What the steps before the measurement took above as many measured ones, in seconds: start-up
  /// of the libraries, and compiling.
  public double warmupExcessSeconds() {
    double step = stepMillis() * 1e6;
    return steps("warmup").stream().mapToDouble(s -> Math.max(0, s.wallNanos() - step)).sum() / 1e9;
  }

  /// Bytes by which the memory in use grows from one step's end to the next during the unprofiled
  /// pass: the median of all slopes between two steps (Theil-Sen). On a device its active bytes,
  /// else the resident bytes of the process. NaN with fewer than three readings.
  public double memoryGrowthBytesPerStep() {
    List<Step> read = steps("measure").stream().filter(s -> s.residentBytes() >= 0).toList();
    if (read.size() < 3) {
      return Double.NaN;
    }
    boolean onDevice = read.getFirst().activeBytes() >= 0;
    double[] slopes = new double[read.size() * (read.size() - 1) / 2];
    int count = 0;
    for (int i = 0; i < read.size(); i++) {
      for (int j = i + 1; j < read.size(); j++) {
        long grown =
            onDevice
                ? read.get(j).activeBytes() - read.get(i).activeBytes()
                : read.get(j).residentBytes() - read.get(i).residentBytes();
        slopes[count++] = (double) grown / (read.get(j).index() - read.get(i).index());
      }
    }
    java.util.Arrays.sort(slopes);
    return slopes[count / 2];
  }
}
