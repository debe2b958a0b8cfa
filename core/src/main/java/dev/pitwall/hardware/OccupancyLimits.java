package dev.pitwall.hardware;

import dev.pitwall.error.PitwallException;
import dev.pitwall.table.DataTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/// What one streaming multiprocessor of a compute capability can hold at once, from
/// `occupancy_limits.csv`. The limits that every capability from 7.0 to 12.1 shares are constants.
///
/// @param computeCapability such as `9.0`
/// @param chips chip names without spaces or dashes, upper case
/// @param sharedMemoryPerMultiprocessorBytes capacity at the largest carveout
/// @param sharedMemoryPerBlockBytes what one block may have once the kernel opted in
/// @param reservedSharedMemoryPerBlockBytes what the driver takes from every block
/// @param sharedMemoryUnitBytes granularity of an allocation
public record OccupancyLimits(
    String computeCapability,
    List<String> chips,
    int maxThreadsPerMultiprocessor,
    int maxBlocksPerMultiprocessor,
    int sharedMemoryPerMultiprocessorBytes,
    int sharedMemoryPerBlockBytes,
    int reservedSharedMemoryPerBlockBytes,
    int sharedMemoryUnitBytes) {
  public static final int WARP_THREADS = 32;
  public static final int MAX_THREADS_PER_BLOCK = 1024;

  /// 32-bit registers of a multiprocessor, and also the most one block may take.
  public static final int REGISTERS_PER_MULTIPROCESSOR = 65_536;

  public static final int MAX_REGISTERS_PER_THREAD = 255;

  /// Registers are given to whole warps in units of this many.
  public static final int REGISTER_UNIT = 256;

  /// A multiprocessor is four partitions, each with a quarter of the registers.
  public static final int PARTITIONS = 4;

  private static final List<OccupancyLimits> ALL = load();

  public OccupancyLimits {
    chips = List.copyOf(chips);
  }

  /// Every compute capability known, oldest first.
  public static List<OccupancyLimits> all() {
    return ALL;
  }

  /// The limits of a compute capability. A minor version that is not listed takes the nearest one
  /// below it of the same major version, as a newer minor keeps the binary compatibility of an
  /// older.
  public static Optional<OccupancyLimits> ofComputeCapability(int major, int minor) {
    OccupancyLimits best = null;
    for (OccupancyLimits limits : ALL) {
      int dot = limits.computeCapability.indexOf('.');
      int knownMajor = Integer.parseInt(limits.computeCapability.substring(0, dot));
      int knownMinor = Integer.parseInt(limits.computeCapability.substring(dot + 1));
      if (knownMajor == major && knownMinor <= minor) {
        best = limits;
      }
    }
    return Optional.ofNullable(best);
  }

  /// The limits of a GPU as a user names it: a compute capability (`9.0`), a chip (`H200`) or the
  /// driver's name (`NVIDIA H100 80GB HBM3`).
  ///
  /// @throws PitwallException (wrong usage) where none fits, naming what is known
  public static OccupancyLimits ofGpu(String gpu) {
    String wanted = gpu.strip();
    if (wanted.matches("\\d{1,2}\\.\\d")) {
      int dot = wanted.indexOf('.');
      Optional<OccupancyLimits> found =
          ofComputeCapability(
              Integer.parseInt(wanted.substring(0, dot)),
              Integer.parseInt(wanted.substring(dot + 1)));
      if (found.isPresent()) {
        return found.get();
      }
    }
    String squeezed = wanted.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "");
    OccupancyLimits best = null;
    int bestLength = 0;
    for (OccupancyLimits limits : ALL) {
      for (String chip : limits.chips) {
        if (squeezed.contains(chip) && chip.length() > bestLength) {
          best = limits;
          bestLength = chip.length();
        }
      }
    }
    if (best == null) {
      throw PitwallException.usage(
          "no occupancy limits for the GPU \""
              + gpu
              + "\"; give a compute capability ("
              + ALL.stream()
                  .map(OccupancyLimits::computeCapability)
                  .collect(Collectors.joining(", "))
              + ") or one of "
              + ALL.stream()
                  .flatMap(limits -> limits.chips.stream())
                  .collect(Collectors.joining(", "))
              + ".");
    }
    return best;
  }

  /// The most warps a multiprocessor holds.
  public int maxWarpsPerMultiprocessor() {
    return maxThreadsPerMultiprocessor / WARP_THREADS;
  }

  private static List<OccupancyLimits> load() {
    DataTable table = DataTable.resource("/dev/pitwall/hardware/occupancy_limits.csv");
    List<OccupancyLimits> all = new ArrayList<>();
    for (int row = 0; row < table.rows(); row++) {
      all.add(
          new OccupancyLimits(
              table.text(row, "compute_capability"),
              Arrays.asList(table.text(row, "chips").split("\\|")),
              integer(table, row, "max_threads_per_multiprocessor"),
              integer(table, row, "max_blocks_per_multiprocessor"),
              1024 * integer(table, row, "shared_memory_per_multiprocessor_kib"),
              1024 * integer(table, row, "shared_memory_per_block_kib"),
              integer(table, row, "reserved_shared_memory_per_block_bytes"),
              integer(table, row, "shared_memory_unit_bytes")));
    }
    return List.copyOf(all);
  }

  private static int integer(DataTable table, int row, String column) {
    return (int) table.number(row, column, 0);
  }
}
