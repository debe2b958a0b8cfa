package dev.pitwall.scale.table;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.scale.MemoryEstimate;
import org.jspecify.annotations.Nullable;

/// What we predict for one row.
///
/// @param rowId the row's id
/// @param tokensPerSecondPerGpu null where not judged
/// @param samplesPerSecond of all GPUs together, 0 where not judged
/// @param stepSeconds 0 where not judged
/// @param memory null where not judged
/// @param peakMemoryBytes of the kind that the row's software reports
/// @param notJudged why throughput or all is not judged, empty where it is
public record RowPrediction(
    String rowId,
    @Nullable Estimate tokensPerSecondPerGpu,
    double samplesPerSecond,
    double stepSeconds,
    @Nullable MemoryEstimate memory,
    double peakMemoryBytes,
    String notJudged) {

  public boolean judgesThroughput() {
    return tokensPerSecondPerGpu != null;
  }
}
