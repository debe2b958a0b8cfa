package dev.pitwall.observe;

import dev.pitwall.hardware.Occupancy;
import dev.pitwall.hardware.OccupancyLimits;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Device;
import dev.pitwall.trace.KernelLaunch;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.KernelClass;
import dev.pitwall.trace.pattern.KernelNames;
import dev.pitwall.trace.pattern.MatmulPrecision;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// The device work of one name inside steps.
///
/// @param count how many, over all steps
/// @param totalNanos their durations added up, over all steps
/// @param occupancy theoretical occupancy 0 to 1, weighted by duration; NaN where the recorder did
///     not give registers and block size or the device is not known
/// @param waves blocks of the grid divided by the blocks that fit on the device at once, weighted
///     by duration; NaN likewise
public record KernelStatistics(
    String name,
    Category category,
    KernelClass kernelClass,
    MatmulPrecision precision,
    int count,
    long totalNanos,
    long longestNanos,
    double occupancy,
    double waves) {
  /// The table, costliest first.
  static List<KernelStatistics> of(TraceIndex index, int[] deviceRows, KernelNames kernels) {
    Trace trace = index.trace();
    Slices slices = trace.slices();
    int size = trace.names().size();
    int[] count = new int[size];
    long[] total = new long[size];
    long[] longest = new long[size];
    double[] occupancyNanos = new double[size];
    double[] waveNanos = new double[size];
    long[] judgedNanos = new long[size];
    Category[] category = new Category[size];
    LaunchShapes shapes = new LaunchShapes(trace);
    for (int row : deviceRows) {
      if (index.steps().count() > 0 && index.countedStepOf(row) < 0) {
        continue;
      }
      int name = slices.nameId(row);
      long duration = slices.durationNanos(row);
      count[name]++;
      total[name] += duration;
      longest[name] = Math.max(longest[name], duration);
      category[name] = slices.category(row);
      int shape = shapes.of(row);
      if (shape >= 0 && shapes.occupancy[shape] > 0) {
        occupancyNanos[name] += shapes.occupancy[shape] * duration;
        waveNanos[name] += shapes.waves[shape] * duration;
        judgedNanos[name] += duration;
      }
    }
    List<KernelStatistics> table = new ArrayList<>();
    for (int name = 0; name < size; name++) {
      Category kind = category[name];
      if (kind == null) {
        continue;
      }
      boolean kernel = kind == Category.KERNEL;
      table.add(
          new KernelStatistics(
              trace.names().text(name),
              kind,
              kernel ? kernels.classOf(name) : KernelClass.OTHER,
              kernel ? kernels.precisionOf(name) : MatmulPrecision.UNKNOWN,
              count[name],
              total[name],
              longest[name],
              judgedNanos[name] > 0 ? occupancyNanos[name] / judgedNanos[name] : Double.NaN,
              judgedNanos[name] > 0 ? waveNanos[name] / judgedNanos[name] : Double.NaN));
    }
    table.sort(
        Comparator.comparingLong(KernelStatistics::totalNanos)
            .reversed()
            .thenComparing(KernelStatistics::name));
    return List.copyOf(table);
  }

  /// The word for the kind of work in reports.
  public String kind() {
    return switch (category) {
      case MEMCPY -> "memcpy";
      case MEMSET -> "memset";
      default -> kernelClass.label();
    };
  }

  /// Occupancy and waves of each distinct launch shape on the first device.
  private static final class LaunchShapes {
    private final Slices slices;
    final double[] occupancy;
    final double[] waves;

    LaunchShapes(Trace trace) {
      slices = trace.slices();
      List<KernelLaunch> launches = trace.kernelLaunches();
      occupancy = new double[launches.size()];
      waves = new double[launches.size()];
      List<Device> devices = trace.recording().devices();
      if (devices.isEmpty()) {
        return;
      }
      Device device = devices.getFirst();
      Optional<OccupancyLimits> limits =
          device.computeMajor() < 0 || device.warpSize() == 64
              ? Optional.empty()
              : OccupancyLimits.ofComputeCapability(device.computeMajor(), device.computeMinor());
      if (limits.isEmpty()) {
        return;
      }
      for (int i = 0; i < occupancy.length; i++) {
        KernelLaunch launch = launches.get(i);
        if (launch.threadsPerBlock() <= 0
            || launch.registersPerThread() <= 0
            || launch.sharedMemoryBytes() < 0) {
          continue;
        }
        Occupancy judged =
            Occupancy.of(
                limits.get(),
                launch.threadsPerBlock(),
                launch.registersPerThread(),
                launch.sharedMemoryBytes());
        occupancy[i] = judged.fraction();
        if (judged.activeBlocks() > 0 && device.multiprocessors() > 0) {
          waves[i] = judged.waves(launch.blocks(), device.multiprocessors());
        }
      }
    }

    int of(int row) {
      int detail = slices.deviceWorkDetail(row);
      return detail == Slices.NONE ? -1 : slices.deviceWork().launch(detail);
    }
  }
}
