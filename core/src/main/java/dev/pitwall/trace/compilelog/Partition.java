package dev.pitwall.trace.compilelog;

import java.util.List;

/// How the joint graph of a training frame was cut into forward and backward.
///
/// @param savedTensors tensors that the forward hands to the backward, parameters and inputs not
///     counted
/// @param savedBytes their bytes, of those with known size
/// @param recomputed operators that the backward computes again, by target (`aten.gelu.default`)
public record Partition(int savedTensors, long savedBytes, List<String> recomputed) {
  public Partition {
    recomputed = List.copyOf(recomputed);
  }
}
