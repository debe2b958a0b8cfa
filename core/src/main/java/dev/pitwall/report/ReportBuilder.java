package dev.pitwall.report;

import dev.pitwall.estimate.Basis;
import dev.pitwall.finding.Finding;
import dev.pitwall.finding.NotJudged;
import dev.pitwall.observe.OperatorStatistics;
import dev.pitwall.observe.flight.Hang;
import dev.pitwall.observe.ranks.RankComparison;
import dev.pitwall.observe.rule.Needs;
import dev.pitwall.report.section.CommunicationSection;
import dev.pitwall.report.section.ExecutionTraceSection;
import dev.pitwall.report.section.HangSection;
import dev.pitwall.report.section.RanksSection;
import dev.pitwall.report.section.Section;
import dev.pitwall.report.section.SideRecordings;
import dev.pitwall.scale.communication.GroupTraffic;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Puts the results of a run's ranks together into one [Report].
public final class ReportBuilder {
  private static final Report.Warning CUT_SHORT =
      new Report.Warning(
          "cut-short",
          1,
          "The recording of this rank is cut short: it holds no GPU work or no whole step, so the"
              + " rank is left out of every mean and comparison.");

  private ReportBuilder() {}

  /// @param results at least one rank, in any order
  public static Report build(List<RankResult> results) {
    return build(results, SideRecordings.none());
  }

  /// @param results the ranks whose traces were read, in any order; may be empty
  /// @param beside what lay beside the traces; not empty where there are none
  public static Report build(List<RankResult> results, SideRecordings beside) {
    return results.isEmpty() ? ofSections(beside) : ofRanks(results, beside);
  }

  private static Report ofSections(SideRecordings beside) {
    List<Section> sections = sectionsOf(beside, List.of());
    List<Finding> findings =
        sections.stream().flatMap(section -> section.findings().stream()).toList();
    return new Report(
        sections.isEmpty()
            ? "The recording says nothing of any device."
            : sections.getFirst().sentence(),
        beside.sources().stream().map(ReportBuilder::input).toList(),
        -1,
        new Report.StepTimes(0, "none", "unknown", 0, 0, 0, 0),
        null,
        null,
        new Report.HostBreakdown(0, 0, 0, 0, 0, 0, 0),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        null,
        null,
        findings,
        List.of(),
        List.of(),
        sections);
  }

  private static List<Section> sectionsOf(
      SideRecordings beside, List<OperatorStatistics> operators) {
    List<Section> sections = new ArrayList<>(beside.sections());
    for (SideRecordings.NamedExecutionTrace one : beside.executionTraces()) {
      sections.add(ExecutionTraceSection.of(one.path(), one.trace(), operators));
    }
    return sections;
  }

  private static Report.Input input(SideRecordings.Source source) {
    return new Report.Input(
        source.path(),
        source.kind(),
        source.rank(),
        source.events(),
        source.bytes(),
        "",
        List.of(),
        source.firstNanos(),
        source.warnings().stream()
            .map(entry -> new Report.Warning(entry.code(), entry.count(), entry.text()))
            .toList());
  }

  private static Report ofRanks(List<RankResult> results, SideRecordings beside) {
    List<RankResult> all = new ArrayList<>(results);
    all.sort(Comparator.comparingInt(RankResult::rank));
    int shownIndex = RunAnalysis.representatives(all).slowest();
    RankResult shown = all.get(shownIndex);
    // A rank that is cut short would make a mean of things that do not belong together.
    List<RankResult> whole = all.stream().filter(RankResult::isWhole).toList();
    List<RankResult> ranks = whole.isEmpty() ? all : whole;
    Report.DeviceBreakdown device = meanDevice(ranks);
    Report.HostBreakdown host = meanHost(ranks);
    List<Section> sections = new ArrayList<>();
    if (ranks.size() > 1) {
      sections.add(
          RanksSection.of(
              RankComparison.of(ranks.stream().map(RankResult::summary).toList()),
              shown.medianMinMaxMillis()[0],
              shown.estimatedStep() == null
                  ? shown.medianMinMaxMillis()[0]
                  : shown.estimatedStep().value(),
              ranks.stream()
                  .mapToDouble(rank -> rank.device() == null ? 0 : rank.device().compute())
                  .max()
                  .orElse(0)));
    }
    List<GroupTraffic> groups = GroupTraffic.of(ranks.stream().map(RankResult::traffic).toList());
    if (!groups.isEmpty()) {
      sections.add(CommunicationSection.of(groups));
    }
    shown.summaryTables().ifPresent(sections::add);
    for (Section section : sectionsOf(beside, shown.operators())) {
      sections.add(section.id().equals(HangSection.ID) ? ofThisJob(section, beside, all) : section);
    }
    List<RankResult> shownFirst = new ArrayList<>(ranks);
    shownFirst.remove(shown);
    shownFirst.addFirst(shown);
    List<List<Finding>> ofRanks =
        new ArrayList<>(shownFirst.stream().map(rank -> rank.judgement().findings()).toList());
    sections.forEach(section -> ofRanks.add(section.findings()));
    List<Finding> findings = worstOfRanks(ofRanks);
    List<Finding> opportunities =
        worstOfRanks(shownFirst.stream().map(rank -> rank.judgement().opportunities()).toList());
    Report.StepTimes steps =
        new Report.StepTimes(
            shown.stepCount(),
            shown.stepSource(),
            StepBound.of(device, host, shown.estimatedStep(), findings),
            shown.medianMinMaxMillis()[0],
            shown.medianMinMaxMillis()[1],
            shown.medianMinMaxMillis()[2],
            mean(ranks, RankResult::meanMillis));
    return new Report(
        Verdicts.sentence(shown, steps, device, findings, opportunities),
        Stream.concat(
                all.stream()
                    .map(rank -> ranks.contains(rank) ? rank : rank.withWarning(CUT_SHORT))
                    .map(RankResult::input),
                beside.sources().stream().map(ReportBuilder::input))
            .toList(),
        shownIndex,
        steps,
        shown.estimatedStep(),
        device,
        host,
        ranks.stream().map(ReportBuilder::times).toList(),
        shown.kernels(),
        shown.operators(),
        shown.ranges(),
        shown.collectives(),
        shown.memory(),
        shown.queueLength(),
        findings,
        opportunities,
        notJudged(ranks),
        sections);
  }

  /// A dump of ranks that the traces' job does not have is of another job, and no verdict on this
  /// one.
  private static Section ofThisJob(Section dump, SideRecordings beside, List<RankResult> ranks) {
    List<Integer> dumped =
        beside.sources().stream()
            .filter(source -> source.kind().equals(SideRecordings.Source.FLIGHT_RECORDER))
            .map(SideRecordings.Source::rank)
            .filter(rank -> rank >= 0)
            .toList();
    List<Integer> traced = ranks.stream().map(RankResult::rank).toList();
    int worldSize = ranks.getFirst().worldSize();
    boolean another =
        worldSize > 0
            ? dumped.stream().anyMatch(rank -> rank >= worldSize)
            : !dumped.isEmpty()
                && traced.stream().allMatch(rank -> rank >= 0)
                && Collections.disjoint(dumped, traced);
    return another
        ? new Section(
            dump.id(),
            dump.title(),
            "The dump is of another job: it is of "
                + Hang.rankList(dumped)
                + ", and the traces are of "
                + (worldSize > 0
                    ? "a job of " + worldSize + " ranks. "
                    : Hang.rankList(traced) + ". ")
                + dump.sentence(),
            dump.tables(),
            List.of())
        : dump;
  }

  private static Report.@Nullable DeviceBreakdown meanDevice(List<RankResult> ranks) {
    List<Report.DeviceBreakdown> parts = new ArrayList<>();
    for (RankResult rank : ranks) {
      if (rank.device() != null) {
        parts.add(rank.device());
      }
    }
    if (parts.isEmpty()) {
      return null;
    }
    return new Report.DeviceBreakdown(
        mean(parts, Report.DeviceBreakdown::compute),
        mean(parts, Report.DeviceBreakdown::communication),
        mean(parts, Report.DeviceBreakdown::exposedCommunication),
        mean(parts, Report.DeviceBreakdown::memcpy),
        mean(parts, Report.DeviceBreakdown::idle),
        mean(parts, Report.DeviceBreakdown::idleHost),
        mean(parts, Report.DeviceBreakdown::idleHostSync),
        mean(parts, Report.DeviceBreakdown::idleInput),
        mean(parts, Report.DeviceBreakdown::idleKernel),
        mean(parts, Report.DeviceBreakdown::idleCommunication),
        mean(parts, Report.DeviceBreakdown::idleUnexplained));
  }

  private static Report.HostBreakdown meanHost(List<RankResult> ranks) {
    List<Report.HostBreakdown> parts = ranks.stream().map(RankResult::host).toList();
    return new Report.HostBreakdown(
        parts.stream().mapToInt(Report.HostBreakdown::threads).max().orElse(0),
        mean(parts, Report.HostBreakdown::operators),
        mean(parts, Report.HostBreakdown::launch),
        mean(parts, Report.HostBreakdown::waiting),
        mean(parts, Report.HostBreakdown::input),
        mean(parts, Report.HostBreakdown::python),
        (int) Math.round(mean(parts, Report.HostBreakdown::launches)));
  }

  private static <T> double mean(List<T> parts, ToDoubleFunction<T> value) {
    return parts.stream().mapToDouble(value).average().orElse(0);
  }

  private static Report.RankTimes times(RankResult rank) {
    Report.DeviceBreakdown device = rank.device();
    return new Report.RankTimes(
        rank.rank(),
        rank.medianMinMaxMillis()[0],
        device == null ? 0 : device.compute(),
        device == null ? 0 : device.exposedCommunication(),
        device == null ? 0 : device.idle(),
        rank.ownMillis());
  }

  /// Of each finding the one with the largest gain (of equal ones, the shown rank's), costliest
  /// first.
  private static List<Finding> worstOfRanks(List<List<Finding>> ofRanks) {
    Map<String, Finding> worst = new LinkedHashMap<>();
    for (List<Finding> findings : ofRanks) {
      for (Finding finding : findings) {
        worst.merge(finding.id(), finding, ReportBuilder::weightier);
      }
    }
    List<Finding> sorted = new ArrayList<>(worst.values());
    sorted.sort(SimulatedGains.MOST_GAIN_FIRST);
    return sorted;
  }

  /// A simulated gain before a time lost, then the larger one.
  private static Finding weightier(Finding a, Finding b) {
    boolean simulated = a.gain().millis().basis() == Basis.SIMULATED;
    if (simulated != (b.gain().millis().basis() == Basis.SIMULATED)) {
      return simulated ? a : b;
    }
    return a.gain().millis().value() >= b.gain().millis().value() ? a : b;
  }

  private static List<NotJudged> notJudged(List<RankResult> ranks) {
    Map<String, NotJudged> byId = new LinkedHashMap<>();
    for (RankResult rank : ranks) {
      for (NotJudged lacking : rank.judgement().notJudged()) {
        boolean judgedTogether = ranks.size() > 1 && lacking.needs().equals(Needs.MORE_RANKS);
        if (!judgedTogether) {
          byId.putIfAbsent(lacking.id(), lacking);
        }
      }
    }
    return new ArrayList<>(byId.values());
  }
}
