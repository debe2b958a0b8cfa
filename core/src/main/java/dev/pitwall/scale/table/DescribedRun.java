package dev.pitwall.scale.table;

import dev.pitwall.scale.Cluster;
import dev.pitwall.scale.ModelShape;
import dev.pitwall.scale.Recipe;
import dev.pitwall.scale.Strategy;

/// What a row of a table says was run.
///
/// @param releaseFactor how much faster than at the beginning of 2024 the software's release is
/// @param gpuUnstated the row names no GPU: its speed cannot be judged, its memory can
/// @param sequenceUnstated the row gives no sequence length: its speed cannot be judged
/// @param longestSequence tokens of the longest sequence, where lengths vary
/// @param assumptions how many facts the row does not state and we assumed; each widens the
///     interval
public record DescribedRun(
    ModelShape model,
    Cluster cluster,
    Strategy strategy,
    Recipe recipe,
    double releaseFactor,
    boolean gpuUnstated,
    boolean sequenceUnstated,
    int longestSequence,
    ReportedMemory reportedMemory,
    int assumptions) {
  /// Which number the software reports as memory.
  public enum ReportedMemory {
    ALLOCATED,
    RESERVED,
    DEVICE
  }

  /// The run with the longest sequence it sees, which decides its peak memory.
  Recipe memoryRecipe() {
    return recipe.withSequence(longestSequence);
  }
}
