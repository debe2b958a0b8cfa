package dev.pitwall.pass.scale;

import java.util.ArrayList;
import java.util.List;

/// How `DistributedDataParallel` cuts gradients into buckets. Each answer is, for every bucket, the
/// index of its last gradient in order of readiness.
///
/// Sources: `_BucketCapacityConfig` in `torch/nn/parallel/distributed.py` and
/// `compute_bucket_assignment_by_size` in `reducer.cpp`, PyTorch 2.13.
public final class GradientBuckets {
  private static final double MIB = 1L << 20;

  /// `_DEFAULT_FIRST_BUCKET_BYTES`: the first bucket, where the cap is left at its default.
  private static final double FIRST_BUCKET_BYTES = MIB;

  private static final double DEFAULT_CAP_MIB = 25;

  private GradientBuckets() {}

  /// The buckets of an iteration.
  ///
  /// Until the buckets are rebuilt there is a single one, and its reduction waits for the whole
  /// backward. They are rebuilt from the order in which gradients came: a step later with
  /// `static_graph` (its first iteration only counts uses), never where unused parameters are
  /// looked for in every iteration.
  ///
  /// @param bytes of each gradient in order of readiness
  public static int[] of(long[] bytes, DataParallelOptions options) {
    boolean neverRebuilt = options.findUnusedParameters() && !options.staticGraph();
    if (neverRebuilt) {
      return inRegistrationOrder(bytes, options.bucketCapMib());
    }
    return options.firstIteration()
        ? new int[] {bytes.length - 1}
        : rebuilt(bytes, options.bucketCapMib());
  }

  /// Buckets rebuilt in order of readiness: one closes with the gradient that reaches its cap.
  ///
  /// @param bucketCapMib 0 for the default
  public static int[] rebuilt(long[] bytes, double bucketCapMib) {
    double cap = (bucketCapMib > 0 ? bucketCapMib : DEFAULT_CAP_MIB) * MIB;
    double limit = bucketCapMib > 0 ? cap : FIRST_BUCKET_BYTES;
    List<Integer> ends = new ArrayList<>();
    double filled = 0;
    for (int i = 0; i < bytes.length; i++) {
      filled += bytes[i];
      if (filled >= limit) {
        ends.add(i);
        filled = 0;
        limit = cap;
      }
    }
    if (filled > 0) {
      ends.add(bytes.length - 1);
    }
    return ends.stream().mapToInt(Integer::intValue).toArray();
  }

  /// Buckets as the parameters were registered, last parameter first to be reduced: the small first
  /// bucket holds the first parameters, whose gradients come last.
  private static int[] inRegistrationOrder(long[] bytes, double bucketCapMib) {
    int count = bytes.length;
    long[] registered = new long[count];
    for (int i = 0; i < count; i++) {
      registered[i] = bytes[count - 1 - i];
    }
    int[] ends = rebuilt(registered, bucketCapMib);
    int[] mirrored = new int[ends.length];
    for (int bucket = 0; bucket < ends.length; bucket++) {
      int first = bucket == 0 ? 0 : ends[bucket - 1] + 1;
      mirrored[ends.length - 1 - bucket] = count - 1 - first;
    }
    return mirrored;
  }
}
