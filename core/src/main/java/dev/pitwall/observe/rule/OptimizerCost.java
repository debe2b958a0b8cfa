package dev.pitwall.observe.rule;

import dev.pitwall.observe.Observation;

/// What fusing an optimizer's update saves on the device, before the fix is simulated.
final class OptimizerCost {
  /// A fused Adam reads parameter, gradient and two moments and writes three of them: 7 passes over
  /// a tensor. The foreach implementation makes 14 (torch/optim/adam.py, `_multi_tensor_adam`), the
  /// loop as many: about half of the time goes.
  private static final double SAVED_SHARE = 0.5;

  private OptimizerCost() {}

  static double savedByFusing(Observation observation, int[] optimizerRows) {
    return SAVED_SHARE * Loss.nanos(observation, optimizerRows);
  }
}
