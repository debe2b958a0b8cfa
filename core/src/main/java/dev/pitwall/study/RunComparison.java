package dev.pitwall.study;

import dev.pitwall.estimate.Estimate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What changed between two runs of a program, by cause.
///
/// Both steps are estimated without the profiler and split along their critical paths, so the
/// differences of the causes sum to the difference of the steps.
///
/// @param before step of the first run, in milliseconds
/// @param after step of the second run
/// @param noiseMillis difference that two runs of one unchanged program would show
/// @param causes by cause, largest change first; sums to the difference
/// @param kernels by kernel name, whether the step waits for it or not, largest change first
/// @param operators by operator, host self time, likewise
/// @param hiddenCommunication communication behind other work
/// @param doubts why one of the recordings cannot be trusted, as sentences
public record RunComparison(
    Estimate before,
    Estimate after,
    double noiseMillis,
    List<Change> causes,
    List<Change> kernels,
    List<Change> operators,
    Change hiddenCommunication,
    List<String> doubts) {
  /// Run-to-run spread of the device's share of a step and of the host's: spread of the blocks of
  /// device-bound and host-bound programs in data/h200 (`truth.jsonl`).
  private static final double DEVICE_NOISE = 0.01;

  private static final double HOST_NOISE = 0.06;

  /// What two runs of one program share at the least, whatever was changed in it. Over the pairs of
  /// data/h200 (PAIRS.tsv), a change of precision keeps 0.01 of the kernels but 0.65 of the
  /// operators, `torch.compile` 0.12 of the operators but 0.26 of the kernels; two programs of one
  /// library can share more.
  private static final double DIFFERENT_KERNELS = 0.15;

  private static final double DIFFERENT_OPERATORS = 0.5;

  /// Time of one thing per step in both runs, in milliseconds.
  public record Change(String name, double beforeMillis, double afterMillis) {
    public double millis() {
      return afterMillis - beforeMillis;
    }
  }

  public RunComparison {
    causes = List.copyOf(causes);
    kernels = List.copyOf(kernels);
    operators = List.copyOf(operators);
    doubts = List.copyOf(doubts);
  }

  /// The same where the recordings cannot be trusted for these reasons.
  public RunComparison withDoubts(List<String> reasons) {
    return new RunComparison(
        before, after, noiseMillis, causes, kernels, operators, hiddenCommunication, reasons);
  }

  /// What the reader must know before the figures, as sentences.
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>(doubts);
    warning().ifPresent(warnings::add);
    return List.copyOf(warnings);
  }

  /// Compares two runs whose steps are known.
  public static RunComparison of(Baseline first, Baseline second) {
    StepAttribution firstSplit = StepAttribution.of(first);
    StepAttribution secondSplit = StepAttribution.of(second);
    List<Change> causes = new ArrayList<>();
    for (StepCause cause : StepCause.values()) {
      causes.add(
          new Change(
              cause.label(),
              firstSplit.causeMillis().getOrDefault(cause, 0.0),
              secondSplit.causeMillis().getOrDefault(cause, 0.0)));
    }
    causes.removeIf(change -> change.beforeMillis() == 0 && change.afterMillis() == 0);
    causes.sort(largestFirst());
    return new RunComparison(
        first.stepMillis(),
        second.stepMillis(),
        Math.hypot(noise(firstSplit), noise(secondSplit)),
        causes,
        changes(firstSplit.kernelMillis(), secondSplit.kernelMillis()),
        changes(firstSplit.operatorMillis(), secondSplit.operatorMillis()),
        new Change(
            "hidden communication",
            firstSplit.hiddenCommunicationMillis(),
            secondSplit.hiddenCommunicationMillis()),
        List.of());
  }

  /// A sentence where the runs seem to be of different programs, so that their difference says
  /// nothing of a change.
  public Optional<String> warning() {
    double kernelShare = shared(kernels);
    double operatorShare = shared(operators);
    return kernelShare < DIFFERENT_KERNELS && operatorShare < DIFFERENT_OPERATORS
        ? Optional.of(
            String.format(
                Locale.ROOT,
                "These seem to be two different programs: they share %.0f %% of their kernels' time"
                    + " and %.0f %% of their operators'.",
                100 * kernelShare,
                100 * operatorShare))
        : Optional.empty();
  }

  /// Time that both runs spend on the same names, each run's whole being 1.
  private static double shared(List<Change> changes) {
    double before = changes.stream().mapToDouble(Change::beforeMillis).sum();
    double after = changes.stream().mapToDouble(Change::afterMillis).sum();
    if (!(before > 0 && after > 0)) {
      return before == after ? 1 : 0;
    }
    return changes.stream()
        .mapToDouble(
            change -> Math.min(change.beforeMillis() / before, change.afterMillis() / after))
        .sum();
  }

  /// Difference of the steps in milliseconds; positive where the second run is slower.
  public double millis() {
    return after.value() - before.value();
  }

  /// Difference as a share of the first step.
  public double fraction() {
    return before.value() > 0 ? millis() / before.value() : 0;
  }

  /// The noise as a share of the first step.
  public double noiseFraction() {
    return before.value() > 0 ? noiseMillis / before.value() : 0;
  }

  private static double noise(StepAttribution split) {
    double host = split.hostShare();
    return split.stepMillis() * Math.hypot(DEVICE_NOISE * (1 - host), HOST_NOISE * host);
  }

  private static List<Change> changes(Map<String, Double> before, Map<String, Double> after) {
    Set<String> names = new HashSet<>(before.keySet());
    names.addAll(after.keySet());
    List<Change> changes = new ArrayList<>();
    for (String name : names) {
      changes.add(new Change(name, before.getOrDefault(name, 0.0), after.getOrDefault(name, 0.0)));
    }
    changes.sort(largestFirst());
    return changes;
  }

  private static Comparator<Change> largestFirst() {
    return Comparator.comparingDouble((Change change) -> -Math.abs(change.millis()))
        .thenComparing(Change::name);
  }
}
