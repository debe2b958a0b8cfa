package dev.pitwall.pass.scale;

/// Knobs of DeepSpeed's stage 3, all in elements of parameters
/// (`deepspeed/runtime/zero/config.py`).
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
  private static final long BILLION = 1_000_000_000;

  /// DeepSpeed's own defaults.
  public static final ZeroThreeOptions DEFAULT =
      new ZeroThreeOptions(50_000_000, 100_000, BILLION, BILLION, 500_000_000);

  /// What `auto` stands for in a model of this width (`accelerator.py` of Hugging Face Accelerate).
  public static ZeroThreeOptions ofWidth(long hidden) {
    return new ZeroThreeOptions(
        hidden * hidden * 9 / 10, 10 * hidden, BILLION, BILLION, hidden * hidden);
  }
}
