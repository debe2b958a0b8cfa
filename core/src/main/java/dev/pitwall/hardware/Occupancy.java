package dev.pitwall.hardware;

import static dev.pitwall.hardware.OccupancyLimits.MAX_REGISTERS_PER_THREAD;
import static dev.pitwall.hardware.OccupancyLimits.MAX_THREADS_PER_BLOCK;
import static dev.pitwall.hardware.OccupancyLimits.PARTITIONS;
import static dev.pitwall.hardware.OccupancyLimits.REGISTERS_PER_MULTIPROCESSOR;
import static dev.pitwall.hardware.OccupancyLimits.REGISTER_UNIT;
import static dev.pitwall.hardware.OccupancyLimits.WARP_THREADS;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// How many blocks of a kernel fit on one multiprocessor at once, and what keeps more from fitting:
/// the theoretical occupancy of NVIDIA's `cuda_occupancy.h` (CUDA 13.0), default carveout, shared
/// memory limit opted in. Registers are given out by partition, so 65,536 divided by the registers
/// of a block would be too many. A block of one barrier never meets the barrier limit before the
/// block limit, so that term of the header is left out.
///
/// A profiler that prints 0 % for a kernel with more than 48 KiB of shared memory forgot the
/// opt-in; this does not.
///
/// @param activeBlocks blocks resident at once; 0 where the kernel cannot be launched at all
/// @param blocksByWarps blocks the warp slots allow
/// @param blocksByRegisters blocks the registers allow
/// @param blocksBySharedMemory blocks the shared memory allows
/// @param blocksBySlots blocks the block slots allow
/// @param registersPerBlock registers one block is given, after rounding
/// @param sharedMemoryPerBlockBytes shared memory one block is given, with the driver's share
/// @param limiters every term that equals the smallest
public record Occupancy(
    OccupancyLimits limits,
    int threadsPerBlock,
    int activeBlocks,
    int blocksByWarps,
    int blocksByRegisters,
    int blocksBySharedMemory,
    int blocksBySlots,
    int registersPerBlock,
    int sharedMemoryPerBlockBytes,
    Set<Limiter> limiters) {
  /// What can keep one more block from fitting.
  public enum Limiter {
    WARPS("warps"),
    REGISTERS("registers"),
    SHARED_MEMORY("shared memory"),
    BLOCKS("blocks");

    private final String label;

    Limiter(String label) {
      this.label = label;
    }

    public String label() {
      return label;
    }
  }

  public Occupancy {
    limiters = Collections.unmodifiableSet(EnumSet.copyOf(limiters));
  }

  /// The occupancy of one kernel.
  ///
  /// @param threadsPerBlock at least 1
  /// @param registersPerThread as the compiler reports them; 0 means no register limit
  /// @param sharedMemoryBytes static plus dynamic shared memory of a block
  public static Occupancy of(
      OccupancyLimits limits, int threadsPerBlock, int registersPerThread, int sharedMemoryBytes) {
    int warps = Math.max(1, (threadsPerBlock + WARP_THREADS - 1) / WARP_THREADS);
    int byWarps =
        threadsPerBlock > MAX_THREADS_PER_BLOCK ? 0 : limits.maxWarpsPerMultiprocessor() / warps;

    long registersPerWarp = roundUp((long) registersPerThread * WARP_THREADS, REGISTER_UNIT);
    int byRegisters;
    if (registersPerWarp * roundUp(warps, PARTITIONS) > REGISTERS_PER_MULTIPROCESSOR
        || registersPerThread > MAX_REGISTERS_PER_THREAD) {
      byRegisters = 0;
    } else if (registersPerWarp == 0) {
      byRegisters = Integer.MAX_VALUE;
    } else {
      long warpsPerPartition = REGISTERS_PER_MULTIPROCESSOR / PARTITIONS / registersPerWarp;
      byRegisters = (int) (warpsPerPartition * PARTITIONS / warps);
    }

    long sharedMemory =
        roundUp(
            (long) sharedMemoryBytes + limits.reservedSharedMemoryPerBlockBytes(),
            limits.sharedMemoryUnitBytes());
    int bySharedMemory;
    if (sharedMemory
        > limits.sharedMemoryPerBlockBytes() + limits.reservedSharedMemoryPerBlockBytes()) {
      bySharedMemory = 0;
    } else if (sharedMemory == 0) {
      bySharedMemory = Integer.MAX_VALUE;
    } else {
      bySharedMemory = (int) (limits.sharedMemoryPerMultiprocessorBytes() / sharedMemory);
    }

    int bySlots = limits.maxBlocksPerMultiprocessor();
    int active = Math.min(Math.min(byWarps, byRegisters), Math.min(bySharedMemory, bySlots));
    EnumSet<Limiter> limiters = EnumSet.noneOf(Limiter.class);
    addIf(limiters, Limiter.WARPS, byWarps == active);
    addIf(limiters, Limiter.REGISTERS, byRegisters == active);
    addIf(limiters, Limiter.SHARED_MEMORY, bySharedMemory == active);
    addIf(limiters, Limiter.BLOCKS, bySlots == active);
    return new Occupancy(
        limits,
        threadsPerBlock,
        active,
        byWarps,
        byRegisters,
        bySharedMemory,
        bySlots,
        (int) (registersPerWarp * warps),
        (int) sharedMemory,
        limiters);
  }

  /// The same kernel at every block size that is a power of two from 32 to 1,024, as if registers
  /// per thread and shared memory per block stayed what they are.
  public static List<Occupancy> byBlockSize(
      OccupancyLimits limits, int registersPerThread, int sharedMemoryBytes) {
    List<Occupancy> curve = new ArrayList<>();
    for (int threads = WARP_THREADS; threads <= MAX_THREADS_PER_BLOCK; threads *= 2) {
      curve.add(of(limits, threads, registersPerThread, sharedMemoryBytes));
    }
    return List.copyOf(curve);
  }

  public int activeWarps() {
    return activeBlocks * ((threadsPerBlock + WARP_THREADS - 1) / WARP_THREADS);
  }

  /// Active warps as a share of the most a multiprocessor holds, 0 to 1.
  public double fraction() {
    return (double) activeWarps() / limits.maxWarpsPerMultiprocessor();
  }

  /// How often the whole GPU has to be filled to run a grid: grid blocks over resident blocks.
  /// Infinite where the kernel cannot run.
  public double waves(long gridBlocks, int multiprocessors) {
    return (double) gridBlocks / ((long) activeBlocks * multiprocessors);
  }

  /// The share of the last wave that is used, 0 to 1: a grid of 1.1 waves takes as long as 2.
  public double waveEfficiency(long gridBlocks, int multiprocessors) {
    double waves = waves(gridBlocks, multiprocessors);
    return activeBlocks == 0 ? 0 : waves / Math.ceil(waves);
  }

  private static void addIf(EnumSet<Limiter> limiters, Limiter limiter, boolean applies) {
    if (applies) {
      limiters.add(limiter);
    }
  }

  private static long roundUp(long value, long unit) {
    return (value + unit - 1) / unit * unit;
  }
}
