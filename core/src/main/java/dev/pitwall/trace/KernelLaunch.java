package dev.pitwall.trace;

/// The launch parameters of a kernel, as recorded. Shared memory is static plus dynamic, in bytes.
/// A value the recorder did not give is -1.
public record KernelLaunch(
    int gridX,
    int gridY,
    int gridZ,
    int blockX,
    int blockY,
    int blockZ,
    int registersPerThread,
    int sharedMemoryBytes) {
  /// Threads in one block.
  public int threadsPerBlock() {
    return blockX * blockY * blockZ;
  }

  /// Blocks in the grid.
  public long blocks() {
    return (long) gridX * gridY * gridZ;
  }
}
