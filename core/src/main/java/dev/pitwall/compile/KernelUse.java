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
  public KernelUse {
    operators = List.copyOf(operators);
    lines = List.copyOf(lines);
  }
}
