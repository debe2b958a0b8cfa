package dev.pitwall.report;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Evidence;
import dev.pitwall.finding.Finding;
import dev.pitwall.finding.NotJudged;
import dev.pitwall.observe.CollectiveStatistics;
import dev.pitwall.observe.KernelStatistics;
import dev.pitwall.observe.MemoryUse;
import dev.pitwall.observe.OperatorStatistics;
import dev.pitwall.observe.RangeStatistics;
import dev.pitwall.observe.Series;
import dev.pitwall.report.section.Section;
import dev.pitwall.trace.Device;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What Pitwall says of one run: schema `pitwall.report/1`.
///
/// Tables and curves are of one rank, the *shown* one; breakdowns are means over the ranks;
/// findings are of the rank where they weigh most.
///
/// @param verdict the whole report in one sentence
/// @param inputs the files, in the order of their ranks
/// @param shownRank index in `inputs` of the rank whose tables are shown, -1 where no input is a
///     trace
/// @param device null where no device work was recorded
/// @param sections what recordings that are no traces say, and the ranks side by side
/// @param estimatedStep the step without the profiler, in milliseconds; null where not estimated
public record Report(
    String verdict,
    List<Input> inputs,
    int shownRank,
    StepTimes steps,
    @Nullable Estimate estimatedStep,
    @Nullable DeviceBreakdown device,
    HostBreakdown host,
    List<RankTimes> ranks,
    List<KernelStatistics> kernels,
    List<OperatorStatistics> operators,
    List<RangeStatistics> ranges,
    List<CollectiveStatistics> collectives,
    @Nullable MemoryUse memory,
    @Nullable Series queueLength,
    List<Finding> findings,
    List<Finding> opportunities,
    List<NotJudged> notJudged,
    List<Section> sections) {
  public Report {
    inputs = List.copyOf(inputs);
    ranks = List.copyOf(ranks);
    kernels = List.copyOf(kernels);
    operators = List.copyOf(operators);
    ranges = List.copyOf(ranges);
    collectives = List.copyOf(collectives);
    findings = List.copyOf(findings);
    opportunities = List.copyOf(opportunities);
    notJudged = List.copyOf(notJudged);
    sections = List.copyOf(sections);
  }

  /// How long after the start of its recording a piece of evidence begins. Where several
  /// recordings claim one rank, it is of the one that began last before it.
  double millisIntoRecording(Evidence evidence) {
    long origin =
        inputs.stream()
            .filter(input -> Math.max(0, input.rank()) == Math.max(0, evidence.rank()))
            .mapToLong(Input::firstNanos)
            .filter(first -> first <= evidence.startNanos())
            .max()
            .orElse(shownRank < 0 ? 0 : inputs.get(shownRank).firstNanos());
    return (evidence.startNanos() - origin) / 1e6;
  }

  /// Whether several changes would save time: they often remove the same idle time.
  boolean gainsOverlap() {
    return Stream.concat(findings.stream(), opportunities.stream())
            .filter(one -> one.gain().millis().value() > 0 && !one.gain().isNothing())
            .count()
        > 1;
  }

  /// One file.
  ///
  /// @param rank -1 where the file does not say
  /// @param torch PyTorch's version or a range of versions, empty where unknown
  /// @param firstNanos start of the first row, from which times shown to people count
  public record Input(
      String path,
      String kind,
      int rank,
      long events,
      long bytes,
      String torch,
      List<Device> devices,
      long firstNanos,
      List<Warning> warnings) {}

  /// Whether any input is a trace; if not, there are only sections.
  public boolean hasTraces() {
    return shownRank >= 0;
  }

  /// What was lost or odd in a file.
  public record Warning(String code, long count, String text) {}

  /// The steps as recorded.
  ///
  /// @param source where the ranges come from: `ProfilerStep`, a name, `inferred`, `none`
  /// @param bound what the step waits for: `gpu`, `host`, `input`, `communication`, `unknown`
  /// @param meanMillis mean over steps and ranks: what the parts of the breakdowns add up to
  public record StepTimes(
      int count,
      String source,
      String bound,
      double medianMillis,
      double minMillis,
      double maxMillis,
      double meanMillis) {}

  /// Milliseconds of the mean step. Compute, exposed communication, copies and idle add up to the
  /// step; the six causes add up to idle.
  public record DeviceBreakdown(
      double compute,
      double communication,
      double exposedCommunication,
      double memcpy,
      double idle,
      double idleHost,
      double idleHostSync,
      double idleInput,
      double idleKernel,
      double idleCommunication,
      double idleUnexplained) {
    public double step() {
      return compute + exposedCommunication + memcpy + idle;
    }
  }

  /// Milliseconds of the mean step on the threads that drive the training, from its first moment on
  /// the CPU to its last; the parts add up to it.
  ///
  /// @param threads threads taken together: a moment counts once, for the one that works
  public record HostBreakdown(
      int threads,
      double operators,
      double launch,
      double waiting,
      double input,
      double python,
      int launches) {
    public double step() {
      return operators + launch + waiting + input + python;
    }
  }

  /// One rank's step in short.
  ///
  /// @param ownMillis the mean step without what the rank waits in collectives
  public record RankTimes(
      int rank,
      double stepMillis,
      double computeMillis,
      double exposedCommunicationMillis,
      double idleMillis,
      double ownMillis) {}
}
