package dev.pitwall.capture.tune;

import dev.pitwall.error.PitwallException;
import dev.pitwall.finding.Finding;
import dev.pitwall.observe.KernelStatistics;
import dev.pitwall.observe.Observation;
import dev.pitwall.observe.rule.RuleEngine;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.kineto.KinetoReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/// What the profiled window of a variant's first run tells beyond its time.
final class ProfiledRun {
  /// Kernels that together take this share of device time are the hot ones.
  private static final double HOT_SHARE = 0.8;

  private final Observation observation;

  private ProfiledRun(Observation observation) {
    this.observation = observation;
  }

  /// The window in the folder; empty where there is none, or it cannot be read.
  static Optional<ProfiledRun> in(Path folder) {
    Path trace = folder.resolve("rank0.trace.json.gz");
    if (!Files.exists(trace)) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new ProfiledRun(Observation.of(TraceIndex.of(new KinetoReader().read(trace), null))));
    } catch (PitwallException unreadable) {
      return Optional.empty();
    }
  }

  /// Ids of everything the rules found, faults and opportunities.
  Set<String> findingIds() {
    RuleEngine.Judgement judgement = RuleEngine.judge(observation);
    Set<String> ids = new TreeSet<>();
    Stream.concat(judgement.findings().stream(), judgement.opportunities().stream())
        .map(Finding::id)
        .forEach(ids::add);
    return ids;
  }

  /// Theoretical occupancy of the hot kernels, 0 to 1, weighted by time; NaN without a GPU.
  double hotOccupancy() {
    double all = observation.kernels().stream().mapToDouble(KernelStatistics::totalNanos).sum();
    double seen = 0;
    double weighted = 0;
    double judged = 0;
    for (KernelStatistics kernel : observation.kernels()) {
      if (seen >= HOT_SHARE * all) {
        break;
      }
      seen += kernel.totalNanos();
      if (!Double.isNaN(kernel.occupancy())) {
        weighted += kernel.occupancy() * kernel.totalNanos();
        judged += kernel.totalNanos();
      }
    }
    return judged == 0 ? Double.NaN : weighted / judged;
  }
}
