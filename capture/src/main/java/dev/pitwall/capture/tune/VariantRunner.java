package dev.pitwall.capture.tune;

/// Runs the program once as a variant.
@FunctionalInterface
public interface VariantRunner {
  /// Returns within `limitSeconds`, or a little later with a failure that says so.
  TuneRun run(TuneVariant variant, int round, long limitSeconds);
}
