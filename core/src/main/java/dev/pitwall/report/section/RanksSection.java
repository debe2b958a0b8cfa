package dev.pitwall.report.section;

import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Finding;
import dev.pitwall.finding.Fix;
import dev.pitwall.finding.Gain;
import dev.pitwall.finding.Severity;
import dev.pitwall.observe.ranks.ClockAlignment;
import dev.pitwall.observe.ranks.MissingCollective;
import dev.pitwall.observe.ranks.RankComparison;
import dev.pitwall.observe.ranks.Straggler;
import dev.pitwall.report.section.Section.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// What the ranks of a job say side by side.
public final class RanksSection {
  private static final long SKEW_WORTH_NAMING_NANOS = 1_000_000;
  private static final int ROWS = 20;

  private RanksSection() {}

  /// A rank is a straggler by time of its own, in every step, and costs no more than that, nor than
  /// the step without the profiler has beyond the longest compute of a rank.
  ///
  /// @param recordedMillis the step as recorded
  /// @param stepMillis the step without the profiler, or as recorded where it was not estimated
  /// @param computeMillis the most compute of any rank in a step
  public static Section of(
      RankComparison comparison, double recordedMillis, double stepMillis, double computeMillis) {
    List<Finding> findings = new ArrayList<>();
    for (Straggler straggler : comparison.stragglers()) {
      if (straggler.isByItsOwnTime(recordedMillis)) {
        findings.add(finding(straggler, stepMillis, computeMillis));
      }
    }
    for (MissingCollective missing : comparison.missing().stream().limit(ROWS).toList()) {
      findings.add(finding(missing));
    }
    ClockAlignment clocks = comparison.clocks();
    List<List<String>> skewed = new ArrayList<>();
    for (int i = 0; i < clocks.ranks().length && skewed.size() < ROWS; i++) {
      if (Math.abs(clocks.offsetNanos()[i]) >= SKEW_WORTH_NAMING_NANOS) {
        skewed.add(
            List.of(
                "rank " + clocks.ranks()[i],
                String.format(Locale.ROOT, "%+.3f ms", clocks.offsetNanos()[i] / 1e6),
                String.format(Locale.ROOT, "±%.0f us", clocks.errorNanos()[i] / 1e3),
                Integer.toString(clocks.matched()[i])));
      }
    }
    List<Table> tables = new ArrayList<>(JobPathTables.of(comparison));
    if (!skewed.isEmpty()) {
      tables.add(
          new Table(
              "Clocks that differ from rank " + clocks.ranks()[0] + "'s",
              List.of("Rank", "Ahead by", "Error", "Collectives"),
              skewed));
    }
    return new Section(
        "ranks", "Ranks side by side", sentence(comparison, recordedMillis), tables, findings);
  }

  private static String sentence(RankComparison comparison, double recordedMillis) {
    if (comparison.matchedCollectives() == 0) {
      return "The ranks share no collective in this recording, so they cannot be compared.";
    }
    if (comparison.stragglers().isEmpty()) {
      return "No rank keeps the others waiting for 3 % of a step or more, over "
          + comparison.matchedCollectives()
          + " collectives matched.";
    }
    Straggler first = comparison.stragglers().getFirst();
    if (first.isByItsOwnTime(recordedMillis)) {
      return title(first);
    }
    return String.format(
        Locale.ROOT,
        "Rank %d comes last to the collectives, %.1f ms a step as recorded, but does nothing of its"
            + " own that lasts longer in every step: recording costs the hosts different time.",
        first.rank(),
        first.waitedNanosPerStep() / 1e6);
  }

  private static String title(Straggler straggler) {
    return String.format(
        Locale.ROOT,
        "The others wait %.1f ms a step for rank %d, most in step %d: %s.",
        straggler.waitedNanosPerStep() / 1e6,
        straggler.rank(),
        straggler.worstStep(),
        straggler.causeText());
  }

  private static Finding finding(Straggler straggler, double stepMillis, double computeMillis) {
    double most =
        Math.min(straggler.waitedNanosPerStep() / 1e6, Math.max(0, stepMillis - computeMillis));
    double own = Math.min(straggler.ownNanosPerStep() / 1e6, most);
    // Half to half as much again: time of its own may hide behind device work, and what it holds up
    // may hold up more.
    double low = own / 2;
    double high = Math.min(most, 1.5 * own);
    double millis = (low + high) / 2;
    double fraction = stepMillis > 0 ? millis / stepMillis : 0;
    return new Finding(
        "straggler",
        Severity.ofFraction(fraction),
        title(straggler),
        "A collective ends when its last rank has come, so every rank is as slow as the slowest."
            + " The time counted is what the others waited with nothing else to run.",
        switch (straggler.cause()) {
          case DEVICE ->
              new Fix(
                  "Compare that GPU's clocks and work with a peer's.",
                  "nvidia-smi dmon -s pucvt",
                  "https://docs.nvidia.com/deploy/nvidia-smi/index.html");
          case INPUT ->
              new Fix(
                  "Give that rank's loader the workers, disk and shard sizes of the others.",
                  "DataLoader(..., num_workers=N, persistent_workers=True)",
                  "https://docs.pytorch.org/docs/stable/data.html");
          case COPY ->
              new Fix(
                  "Compare what that rank copies with a peer: checkpoints, metrics, offloading.",
                  "nvidia-smi topo -m",
                  "https://docs.nvidia.com/deploy/nvidia-smi/index.html");
          case HOST ->
              new Fix(
                  "Look for what only that rank does: logging, checkpoints, a busy or differently"
                      + " pinned CPU.",
                  "numactl --cpunodebind=N --membind=N python train.py",
                  "https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html");
        },
        new Gain(new Estimate(millis, low, high, Basis.MODELLED), fraction),
        List.of());
  }

  private static Finding finding(MissingCollective missing) {
    return new Finding(
        "collective-missing",
        Severity.HIGH,
        "Rank "
            + missing.rank()
            + " lacks "
            + missing.label()
            + " in step "
            + missing.step()
            + ", which the other ranks ran.",
        "Either the rank took another path through the program, and the job will hang, or its"
            + " recorder lost the row.",
        new Fix(
            "Compare the ranks' control flow around that collective.",
            "TORCH_DISTRIBUTED_DEBUG=DETAIL",
            "https://docs.pytorch.org/docs/stable/distributed.html#debugging-torch-distributed-applications"),
        new Gain(Estimate.measured(0), 0),
        List.of());
  }
}
