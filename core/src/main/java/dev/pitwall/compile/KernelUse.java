package dev.pitwall.compile;

import dev.pitwall.hardware.Occupancy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A generated kernel as it ran.
///
/// @param callsPerStep launches a step
/// @param microsPerStep device time a step
/// @param bytesPerCall tensors read and written, an upper bound; -1 where shapes were not recorded
/// @param shareOfMemoryRate bytes over time over the device's memory rate, 0 where unknown
/// @param registersPerThread -1 where not recorded
/// @param occupancy null where not recorded
/// @param better the block size with the highest occupancy, where it is higher by a tenth or more
/// @param operators ATen operators it stands for, from the log
/// @param lines the user's lines it came from, from the log
public record KernelUse(
    String name,
    double callsPerStep,
    double microsPerStep,
    double bytesPerCall,
    double shareOfMemoryRate,
    int registersPerThread,
    int sharedMemoryBytes,
    @Nullable Occupancy occupancy,
    @Nullable Occupancy better,
    List<String> operators,
    List<String> lines) {
  /// CUDA C++ programming guide, compute capabilities 3.5 to 12.0.
  private static final int MOST_REGISTERS_A_THREAD = 255;

  public KernelUse {
    operators = List.copyOf(operators);
    lines = List.copyOf(lines);
  }

  /// Whether the compiler had more values than registers: it gives a thread the most there are only
  /// when it runs out, and keeps the rest in slow local memory. Neither trace nor log counts the
  /// bytes.
  public boolean isLikelyToSpill() {
    return registersPerThread >= MOST_REGISTERS_A_THREAD;
  }
}
