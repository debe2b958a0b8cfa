package dev.pitwall.pass.scale;

/// What the user of `DistributedDataParallel` chooses, and which iteration is meant.
///
/// @param bucketCapMib `bucket_cap_mb`; 0 for the default of 25 with a first bucket of 1 MiB
/// @param syncEveryMicroBatch gradients are reduced in every micro-batch (no `no_sync`)
/// @param findUnusedParameters `find_unused_parameters`: a walk of the graph in every iteration
/// @param staticGraph `static_graph`: one walk, in the first iteration
/// @param firstIteration the first iteration, whose buckets are not yet those of the others
public record DataParallelOptions(
    double bucketCapMib,
    boolean syncEveryMicroBatch,
    boolean findUnusedParameters,
    boolean staticGraph,
    boolean firstIteration) {
  /// PyTorch's defaults, under `no_sync` where gradients accumulate.
  public static final DataParallelOptions DEFAULT =
      new DataParallelOptions(0, false, false, false, false);

  public DataParallelOptions withBucketCapMib(double mebibytes) {
    return new DataParallelOptions(
        mebibytes, syncEveryMicroBatch, findUnusedParameters, staticGraph, firstIteration);
  }

  public DataParallelOptions withSyncEveryMicroBatch() {
    return new DataParallelOptions(
        bucketCapMib, true, findUnusedParameters, staticGraph, firstIteration);
  }

  public DataParallelOptions withFindUnusedParameters() {
    return new DataParallelOptions(
        bucketCapMib, syncEveryMicroBatch, true, staticGraph, firstIteration);
  }

  public DataParallelOptions withStaticGraph() {
    return new DataParallelOptions(
        bucketCapMib, syncEveryMicroBatch, findUnusedParameters, true, firstIteration);
  }

  public DataParallelOptions inFirstIteration() {
    return new DataParallelOptions(
        bucketCapMib, syncEveryMicroBatch, findUnusedParameters, staticGraph, true);
  }

  /// Whether the graph is walked for unused parameters in this iteration
  /// (`reducer.cpp`, `dynamic_graph_find_unused`, `static_graph_first_iteration`).
  boolean walksGraph() {
    return staticGraph ? firstIteration : findUnusedParameters;
  }
}
