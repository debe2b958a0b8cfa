package dev.pitwall.pass.scale;

/// Knobs of DeepSpeed's stage 3, all in elements of parameters
// (`deepspeed/runtime/zero/config.py`).
///
/// @param prefetchBucket `stage3_prefetch_bucket_size`: how much is gathered ahead at once
/// @param persistenceThreshold `stage3_param_persistence_threshold`: what stays on every rank
/// @param maxLive `stage3_max_live_parameters`: beyond this nothing is gathered ahead
/// @param maxReuseDistance `stage3_max_reuse_distance`: what is used again within so many elements
///     is not released
/// @param reduceBucket `reduce_bucket_size`: gradients reduced at once
public record ZeroThreeOptions(
    long prefetchBucket,
    long persistenceThreshold,
    long maxLive,
    long maxReuseDistance,
    long reduceBucket) {
  public static final ZeroThreeOptions DEFAULT =
      new ZeroThreeOptions(50_000_000, 100_000, 1_000_000_000, 1_000_000_000, 500_000_000);
}
