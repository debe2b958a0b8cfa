package dev.pitwall.report;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.observe.CollectiveStatistics;
import dev.pitwall.observe.DeviceTime;
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
import dev.pitwall.observe.ranks.RankSummary;
import dev.pitwall.observe.rule.RuleEngine.Judgement;
import dev.pitwall.report.section.Section;
import dev.pitwall.report.section.SummarySection;
import dev.pitwall.scale.communication.RankTraffic;
import dev.pitwall.trace.LossLedger;
import dev.pitwall.trace.Recording;
import dev.pitwall.trace.Steps;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What was found out about one rank, without the trace: a job of many ranks is analyzed trace by
/// trace, and only this is kept.
///
/// @param idleIsCredible whether the recorder lost so little that idle times can be believed
/// @param summaryTables the tables of `nsys stats`, for a recording of Nsight Systems
/// @param summary what a comparison with the other ranks needs
/// @param traffic its collectives with their sizes
/// @param estimatedStep the step without the profiler, in milliseconds; null where not estimated
public record RankResult(
    Report.Input input,
    String stepSource,
    int stepCount,
    double[] medianMinMaxMillis,
    boolean idleIsCredible,
    Report.@Nullable DeviceBreakdown device,
    Report.HostBreakdown host,
    List<KernelStatistics> kernels,
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
  /// Keeps what the report needs of one rank.
  ///
  /// @param bytes size of the file
  public static RankResult of(
      Path file,
      long bytes,
      Observation observation,
      Judgement judgement,
      @Nullable Estimate estimatedStep) {
    Steps steps = observation.index().steps();
    return new RankResult(
        input(file, bytes, observation),
        switch (steps.source()) {
          case PROFILER_STEP -> "ProfilerStep";
          case NAMED_RANGE -> steps.name();
          case INFERRED -> "inferred";
          case NONE -> "none";
        },
        steps.count(),
        observation.windows().medianMinMaxMillis(),
        observation.quality().idleIsCredible(),
        device(observation),
        host(observation),
        observation.kernels(),
        observation.operators(),
        observation.ranges(),
        observation.collectives(),
        observation.memory(),
        observation.queueLength(),
        judgement,
        estimatedStep,
        RankSummary.of(observation.index(), -1),
        RankTraffic.of(observation.index()),
        observation.index().trace().recording().kind().equals("nsys")
            ? Optional.of(SummarySection.of(observation.index().trace()))
            : Optional.empty());
  }

  /// The rank, -1 where the file does not say.
  int rank() {
    return input.rank();
  }

  /// The part of the step that this rank does not spend waiting in collectives.
  double ownMillis() {
    return device == null ? medianMinMaxMillis[0] : device.step() - device.exposedCommunication();
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
        List.copyOf(warnings));
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
        observation.millisPerStep(host.operatorNanos()),
        observation.millisPerStep(host.launchNanos()),
        observation.millisPerStep(host.waitNanos()),
        observation.millisPerStep(host.inputNanos()),
        observation.millisPerStep(host.pythonNanos()),
        host.kernelLaunches() / observation.stepCount());
  }
}
