package dev.pitwall.trace.join;

import dev.pitwall.error.PitwallException;
import dev.pitwall.trace.Trace;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// How the clock of one recording runs against that of another of the same job, found from the
/// kernels both have: by name and order, confirmed by duration.
///
/// Runs of kernels that occur in both vote for how far the two recordings lie apart. Around the
/// likeliest distances kernels are matched by time, which is exact where both recorded the same
/// run, and by order, which also serves for two runs of the same program. The supposition whose
/// kernels lie nearest to a straight line is taken. Training repeats itself, so where several fit
/// alike the wall clocks decide, if the recordings have some.
///
/// @param referenceNanos a moment on the reference clock
/// @param offsetNanos how much more the other clock shows at that moment
/// @param drift how much faster the other clock runs, as a fraction
/// @param matchedKernels kernels found in both
/// @param comparedKernels kernels that could have been
/// @param medianErrorNanos half of the matched kernels start nearer to the line than this
/// @param largeErrorNanos 95 % do
/// @param stepIsCertain false where the recordings fit alike when shifted by some steps
public record ClockAlignment(
    long referenceNanos,
    long offsetNanos,
    double drift,
    int matchedKernels,
    int comparedKernels,
    double medianErrorNanos,
    double largeErrorNanos,
    boolean stepIsCertain) {
  private static final int LEAST_KERNELS = 20;
  private static final double LEAST_SHARE = 0.6;
  private static final int COMPARED = 32;

  /// Two runs of one job may differ in speed; more than this is another job.
  private static final double LARGEST_DRIFT = 0.02;

  /// A fit that is worse than the best by less than this factor is as good.
  private static final double ALIKE = 1.5;

  /// The wall clocks of two recorders on one machine agree to this.
  private static final long WALL_CLOCK_NANOS = 50_000_000;

  /// @param referenceName of the recording whose clock is kept, for the sentence of a refusal
  /// @param otherName of the other one
  /// @throws PitwallException in one sentence where they are not of the same job
  public static ClockAlignment of(
      Trace reference, String referenceName, Trace other, String otherName) {
    Map<String, Integer> symbols = new HashMap<>();
    KernelSequence ours = KernelSequence.of(reference, symbols);
    KernelSequence theirs = KernelSequence.of(other, symbols);
    if (Math.min(ours.size(), theirs.size()) < LEAST_KERNELS) {
      throw PitwallException.unreadable(
          "%s and %s cannot be put on one clock: the kernels of both are needed, and one has only %d."
              .formatted(referenceName, otherName, Math.min(ours.size(), theirs.size())));
    }
    CommonRuns runs = new CommonRuns(ours, theirs);
    List<KernelMatch> matches = new ArrayList<>();
    for (ClockLine line : runs.lines(COMPARED)) {
      matches.add(KernelMatch.near(line, ours, theirs));
    }
    for (int shift : runs.shifts(COMPARED)) {
      matches.add(KernelMatch.at(shift, ours, theirs));
    }
    int most = matches.stream().mapToInt(KernelMatch::size).max().orElse(0);
    List<ClockAlignment> fits =
        matches.stream()
            .filter(match -> match.size() >= Math.max(LEAST_KERNELS, most / 2))
            .filter(match -> match.size() >= LEAST_SHARE * match.compared())
            .filter(KernelMatch::durationsAgree)
            .map(ClockAlignment::fit)
            .filter(fit -> Math.abs(fit.drift) < LARGEST_DRIFT)
            .sorted(Comparator.comparingDouble(ClockAlignment::largeErrorNanos))
            .toList();
    if (fits.isEmpty()) {
      throw PitwallException.unreadable(
          "%s and %s are not of the same job: at most %d of %d kernels agree in name, order, duration and pace; give them one at a time."
              .formatted(referenceName, otherName, most, Math.min(ours.size(), theirs.size())));
    }
    return choose(fits, reference, other);
  }

  /// The moment on the reference clock at which the other clock shows this.
  public long toReference(long otherNanos) {
    double since = otherNanos - referenceNanos - offsetNanos;
    return referenceNanos + Math.round(since / (1 + drift));
  }

  private static ClockAlignment choose(List<ClockAlignment> fits, Trace reference, Trace other) {
    double tolerated = ALIKE * Math.max(1_000, fits.getFirst().largeErrorNanos);
    List<ClockAlignment> alike =
        fits.stream().filter(fit -> fit.largeErrorNanos <= tolerated).toList();
    long ourEpoch = reference.recording().epochNanos();
    long theirEpoch = other.recording().epochNanos();
    if (ourEpoch > 0 && theirEpoch > 0) {
      long wallOffset = ourEpoch - theirEpoch;
      ClockAlignment nearest =
          alike.stream()
              .min(Comparator.comparingLong(fit -> Math.abs(fit.offsetNanos - wallOffset)))
              .orElseThrow();
      if (Math.abs(nearest.offsetNanos - wallOffset) < WALL_CLOCK_NANOS) {
        return nearest;
      }
    }
    ClockAlignment best = fits.getFirst();
    return alike.size() == 1
        ? best
        : new ClockAlignment(
            best.referenceNanos,
            best.offsetNanos,
            best.drift,
            best.matchedKernels,
            best.comparedKernels,
            best.medianErrorNanos,
            best.largeErrorNanos,
            false);
  }

  private static ClockAlignment fit(KernelMatch match) {
    ClockLine.Fit fit = match.fit();
    ClockLine line = fit.line();
    return new ClockAlignment(
        line.originNanos(),
        Math.round(line.offsetNanos()),
        line.drift(),
        match.size(),
        match.compared(),
        fit.error(line, 0.5),
        fit.error(line, 0.95),
        true);
  }
}
