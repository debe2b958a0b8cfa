package dev.pitwall.report;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Evidence;
import dev.pitwall.observe.CollectiveStatistics;
import dev.pitwall.observe.DeviceTime;
import dev.pitwall.observe.Doubt;
import dev.pitwall.observe.HostTime;
import dev.pitwall.observe.IdleCause;
import dev.pitwall.observe.IdleGaps;
import dev.pitwall.observe.KernelStatistics;
import dev.pitwall.observe.MemoryUse;
import dev.pitwall.observe.Observation;
import dev.pitwall.observe.OperatorStatistics;
import dev.pitwall.observe.RangeStatistics;
import dev.pitwall.observe.RecordingQuality;
import dev.pitwall.observe.Series;
import dev.pitwall.observe.ranks.OwnTime;
import dev.pitwall.observe.ranks.RankSummary;
import dev.pitwall.observe.rule.RuleEngine.Judgement;
import dev.pitwall.report.section.Section;
import dev.pitwall.report.section.SummarySection;
import dev.pitwall.scale.communication.RankTraffic;
import dev.pitwall.trace.LossLedger;
import dev.pitwall.trace.Recording;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Steps;
import dev.pitwall.trace.Trace;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What was found out about one rank, without the trace: a job of many ranks is analyzed trace by
/// trace, and only this is kept.
///
/// @param worldSize ranks of the job, -1 where the file does not say
/// @param meanMillis the mean step as recorded
/// @param ownMillis the step without what the rank waits in collectives ([OwnTime])
/// @param doubt the gravest one about the recording
/// @param idleIsCredible whether idle times can be believed
/// @param summaryTables the tables of `nsys stats`, for a recording of Nsight Systems
/// @param costliestKernels one slice of each, the costliest first
/// @param summary what a comparison with the other ranks needs
/// @param traffic its collectives with their sizes
/// @param estimatedStep the step without the profiler, in milliseconds; null where not estimated
public record RankResult(
    Report.Input input,
    int worldSize,
    String stepSource,
    int stepCount,
    double[] medianMinMaxMillis,
    double meanMillis,
    double ownMillis,
    Doubt doubt,
    boolean idleIsCredible,
    Report.@Nullable DeviceBreakdown device,
    Report.HostBreakdown host,
    List<KernelStatistics> kernels,
    List<Evidence> costliestKernels,
    List<OperatorStatistics> operators,
    List<RangeStatistics> ranges,
    List<CollectiveStatistics> collectives,
    @Nullable MemoryUse memory,
    @Nullable Series queueLength,
    Judgement judgement,
    @Nullable Estimate estimatedStep,
    RankSummary summary,
    RankTraffic traffic,
    Optional<Section> summaryTables) {
  private static final String NO_STEPS = "none";

  /// Keeps what the report needs of one rank.
  ///
  /// @param bytes size of the file
  static RankResult of(Path file, long bytes, Observation observation, Judgement judgement) {
    Steps steps = observation.index().steps();
    return new RankResult(
        input(file, bytes, observation),
        observation.index().trace().recording().worldSize(),
        switch (steps.source()) {
          case PROFILER_STEP -> "ProfilerStep";
          case NAMED_RANGE -> steps.name();
          case INFERRED -> "inferred";
          case NONE -> NO_STEPS;
        },
        steps.count(),
        observation.windows().medianMinMaxMillis(),
        observation.millisPerStep(observation.windows().totalNanos()),
        OwnTime.millis(observation),
        observation.quality().doubt(),
        observation.quality().idleIsCredible(),
        device(observation),
        host(observation),
        observation.kernels(),
        costliestKernels(observation),
        observation.operators(),
        observation.ranges(),
        observation.collectives(),
        observation.memory(),
        observation.queueLength(),
        judgement,
        null,
        RankSummary.of(observation, -1),
        RankTraffic.of(observation.index()),
        observation.index().trace().recording().kind().equals("nsys")
            ? Optional.of(SummarySection.of(observation.index().trace()))
            : Optional.empty());
  }

  /// The rank, -1 where the file does not say.
  int rank() {
    return input.rank();
  }

  /// Whether the recording holds whole steps and what the device did in them.
  boolean isWhole() {
    return device != null && stepCount > 0 && !stepSource.equals(NO_STEPS);
  }

  /// The same with gains on its findings.
  ///
  /// @param step the job's step without the profiler; null where this rank does not stand for the
  ///     job
  RankResult withGains(Judgement gained, @Nullable Estimate step) {
    return with(input, gained, step);
  }

  /// The same with one more thing to know about the recording.
  RankResult withWarning(Report.Warning warning) {
    List<Report.Warning> warnings = new ArrayList<>(input.warnings());
    warnings.add(warning);
    return with(
        new Report.Input(
            input.path(),
            input.kind(),
            input.rank(),
            input.events(),
            input.bytes(),
            input.torch(),
            input.devices(),
            input.firstNanos(),
            List.copyOf(warnings)),
        judgement,
        estimatedStep);
  }

  private RankResult with(Report.Input from, Judgement judged, @Nullable Estimate step) {
    return new RankResult(
        from,
        worldSize,
        stepSource,
        stepCount,
        medianMinMaxMillis,
        meanMillis,
        ownMillis,
        doubt,
        idleIsCredible,
        device,
        host,
        kernels,
        costliestKernels,
        operators,
        ranges,
        collectives,
        memory,
        queueLength,
        judged,
        step,
        summary,
        traffic,
        summaryTables);
  }

  private static List<Evidence> costliestKernels(Observation observation) {
    Trace trace = observation.index().trace();
    List<Evidence> evidence = new ArrayList<>();
    for (KernelStatistics kernel : observation.kernels().stream().limit(3).toList()) {
      int row = observation.firstInStep(trace.names().find(kernel.name()));
      if (row >= 0) {
        evidence.add(
            new Evidence(
                Math.max(0, trace.recording().rank()),
                trace.tracks().get(trace.slices().track(row)).label(),
                kernel.name(),
                trace.slices().startNanos(row),
                trace.slices().durationNanos(row)));
      }
    }
    return List.copyOf(evidence);
  }

  private static Report.Input input(Path file, long bytes, Observation observation) {
    Recording recording = observation.index().trace().recording();
    List<Report.Warning> warnings = new ArrayList<>();
    for (LossLedger.Entry entry : observation.index().trace().losses().entries()) {
      warnings.add(new Report.Warning(entry.code(), entry.count(), entry.text()));
    }
    for (RecordingQuality.Warning warning : observation.quality().warnings()) {
      warnings.add(new Report.Warning(warning.code(), warning.count(), warning.text()));
    }
    String torch = recording.torchVersion();
    return new Report.Input(
        file.toString(),
        recording.kind(),
        recording.rank(),
        recording.events(),
        bytes,
        torch == null ? "" : torch,
        recording.devices(),
        firstNanos(observation),
        List.copyOf(warnings));
  }

  private static long firstNanos(Observation observation) {
    Slices slices = observation.index().trace().slices();
    long first = slices.size() == 0 ? 0 : Long.MAX_VALUE;
    for (int row = 0; row < slices.size(); row++) {
      first = Math.min(first, slices.startNanos(row));
    }
    return first;
  }

  private static Report.@Nullable DeviceBreakdown device(Observation observation) {
    DeviceTime device = observation.deviceTime();
    if (device == null) {
      return null;
    }
    IdleGaps gaps = device.gaps();
    return new Report.DeviceBreakdown(
        device.millisPerStep(device.computeNanos()),
        device.millisPerStep(device.communicationNanos()),
        device.millisPerStep(device.exposedCommunicationNanos()),
        device.millisPerStep(device.copyNanos()),
        device.millisPerStep(device.idleNanos()),
        device.millisPerStep(
            gaps.totalNanos(IdleCause.HOST) + gaps.totalNanos(IdleCause.ALLOCATOR)),
        device.millisPerStep(
            gaps.totalNanos(IdleCause.HOST_SYNC) + gaps.totalNanos(IdleCause.PAGEABLE_COPY)),
        device.millisPerStep(gaps.totalNanos(IdleCause.INPUT)),
        device.millisPerStep(gaps.totalNanos(IdleCause.KERNEL)),
        device.millisPerStep(gaps.totalNanos(IdleCause.COMMUNICATION)),
        device.millisPerStep(gaps.totalNanos(IdleCause.UNEXPLAINED)));
  }

  private static Report.HostBreakdown host(Observation observation) {
    HostTime host = observation.host();
    return new Report.HostBreakdown(
        host.threads(),
        observation.millisPerStep(host.operatorNanos()),
        observation.millisPerStep(host.launchNanos()),
        observation.millisPerStep(host.waitNanos()),
        observation.millisPerStep(host.inputNanos()),
        observation.millisPerStep(host.pythonNanos()),
        host.kernelLaunches() / observation.stepCount());
  }
}
