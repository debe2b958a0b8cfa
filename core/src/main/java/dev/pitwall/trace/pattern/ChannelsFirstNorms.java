package dev.pitwall.trace.pattern;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.TraceIndex;
import java.util.Set;

/// Normalizations that PyTorch computes on the GPU with channels first whatever it is given: group
/// norm and instance norm convert a channels-last tensor and hand a channels-first one on, so that
/// the next convolution converts it back. A model of them gains nothing from channels last
/// (pytorch/pytorch issue 111824).
public final class ChannelsFirstNorms {
  private static final Set<String> OPERATORS =
      Set.of("aten::native_group_norm", "aten::instance_norm");

  private ChannelsFirstNorms() {}

  /// Whether a step runs one.
  public static boolean any(TraceIndex index) {
    for (int row : index.trace().slices().rows(Category.CPU_OP)) {
      if (index.stepOf(row) >= 0 && OPERATORS.contains(index.trace().name(row))) {
        return true;
      }
    }
    return false;
  }
}
