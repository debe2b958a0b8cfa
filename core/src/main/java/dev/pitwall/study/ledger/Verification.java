package dev.pitwall.study.ledger;

import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.study.ledger.RunPredictions.PredictedGain;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// A fix that was made, by two captures: what was predicted on the first, and what the second
/// measured.
///
/// @param fixed the ids that were found before and are not found after
/// @param beforeMillis the measured step before
/// @param afterMillis the measured step after
/// @param predictedGain of those fixes together: their gains added up, which is an upper bound
///     where they overlap
public record Verification(
    Set<String> fixed, double beforeMillis, double afterMillis, Estimate predictedGain) {
  public Verification {
    fixed = Set.copyOf(fixed);
  }

  /// Compares two runs; empty where no finding has gone.
  public static Optional<Verification> of(RunPredictions before, RunPredictions after) {
    Set<String> still = after.gains().stream().map(PredictedGain::id).collect(Collectors.toSet());
    List<PredictedGain> gone = new ArrayList<>(before.gains());
    gone.removeIf(gain -> still.contains(gain.id()));
    if (gone.isEmpty()) {
      return Optional.empty();
    }
    double value = 0;
    double low = 0;
    double high = 0;
    Set<String> ids = new TreeSet<>();
    for (PredictedGain gain : gone) {
      ids.add(gain.id());
      value += gain.millis().value();
      low += gain.millis().low();
      high += gain.millis().high();
    }
    return Optional.of(
        new Verification(
            ids,
            before.stepMillis(),
            after.stepMillis(),
            new Estimate(value, low, high, Basis.SIMULATED)));
  }

  /// What the change did save.
  public double measuredGainMillis() {
    return beforeMillis - afterMillis;
  }

  /// As the ledger keeps it.
  public LedgerEntry entry(Path before, Path after, String gpu) {
    return new LedgerEntry(
        String.join("+", new TreeSet<>(fixed)),
        before.toAbsolutePath().normalize().toString(),
        after.toAbsolutePath().normalize().toString(),
        gpu,
        beforeMillis,
        predictedGain,
        measuredGainMillis());
  }
}
