package dev.pitwall.scale;

import java.util.List;

/// What one GPU holds when it holds the most, in bytes.
///
/// @param allocated peak of what tensors occupy (`torch.cuda.max_memory_allocated`)
/// @param reserved peak of what the caching allocator holds (`max_memory_reserved`)
/// @param deviceUsed what `nvidia-smi` shows: reserved, context and communicators
/// @param capacity what the device has
/// @param moment the moment of the peak, as a phrase
/// @param owners who holds the peak, largest first
/// @param moments every moment looked at
public record MemoryEstimate(
    double allocated,
    double reserved,
    double deviceUsed,
    double capacity,
    String moment,
    List<Owner> owners,
    List<Moment> moments) {

  /// One holder of memory.
  public record Owner(String name, double bytes) {}

  /// The sum at one moment of the step.
  public record Moment(String name, double bytes) {}

  public MemoryEstimate {
    owners = List.copyOf(owners);
    moments = List.copyOf(moments);
  }

  /// Whether the job runs: what tensors need fits beside context and communicators. The allocator
  /// can give back what it only caches, at the price of stalls ([#isTight]).
  public boolean fits() {
    return allocated + (deviceUsed - reserved) <= capacity;
  }

  /// Whether the allocator would have to free and ask again, which stalls the step.
  public boolean isTight() {
    return deviceUsed > capacity;
  }

  public double headroom() {
    return capacity - deviceUsed;
  }
}
