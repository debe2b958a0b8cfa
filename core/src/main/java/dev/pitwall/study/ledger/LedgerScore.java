package dev.pitwall.study.ledger;

import java.util.List;
import java.util.function.ToDoubleFunction;

/// How good the predictions of one kind have been.
///
/// @param medianError predicted minus measured, as a share of the step: where they lean
/// @param medianAbsoluteError the same without sign: how far off they are
/// @param covered how many measurements lay in their interval
/// @param medianRatio measured over predicted
public record LedgerScore(
    String subject,
    int judgements,
    double medianError,
    double medianAbsoluteError,
    int covered,
    double medianRatio) {
  static LedgerScore of(String subject, List<LedgerEntry> entries) {
    return new LedgerScore(
        subject,
        entries.size(),
        median(entries, LedgerEntry::errorOfStep),
        median(entries, entry -> Math.abs(entry.errorOfStep())),
        (int) entries.stream().filter(LedgerEntry::isCovered).count(),
        median(entries, LedgerEntry::ratio));
  }

  private static double median(List<LedgerEntry> entries, ToDoubleFunction<LedgerEntry> value) {
    double[] sorted =
        entries.stream().mapToDouble(value).filter(Double::isFinite).sorted().toArray();
    int middle = sorted.length / 2;
    if (sorted.length == 0) {
      return Double.NaN;
    }
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
