package dev.pitwall.report;

import dev.pitwall.error.PitwallException;
import dev.pitwall.observe.Observation;
import dev.pitwall.report.compile.CompileRunReport;
import dev.pitwall.report.section.Section;
import dev.pitwall.report.section.SideRecordings;
import dev.pitwall.study.Baseline;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.TraceInput;
import dev.pitwall.trace.TraceReaders;
import dev.pitwall.trace.smi.SampleLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleConsumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// A run kept open for questions: the index of every rank, and the report once it is asked for.
/// Safe for many threads.
///
/// A job of very many ranks is better analyzed trace by trace ([RunAnalysis]); this holds them all.
public final class OpenedRun {
  /// A rank's trace, and what is measured on it, once that is asked for.
  private static final class Rank {
    private final Path file;
    private final TraceIndex index;
    private @Nullable Observation observation;

    Rank(Path file, TraceIndex index) {
      this.file = file;
      this.index = index;
    }

    Path file() {
      return file;
    }

    TraceIndex index() {
      return index;
    }

    synchronized Observation observation() {
      Observation known = observation;
      if (known == null) {
        known = Observation.of(index);
        observation = known;
      }
      return known;
    }
  }

  /// What became of one file: a rank, or why there is none.
  private record Opened(
      Path file, @Nullable Rank rank, List<Section> joins, @Nullable PitwallException refusal) {}

  private final List<Rank> ranks;
  private final SideRecordings beside;
  private @Nullable Report report;

  private OpenedRun(List<Rank> ranks, SideRecordings beside) {
    this.beside = beside;
    this.ranks =
        ranks.stream()
            .sorted(Comparator.comparingInt(rank -> rank.index().trace().recording().rank()))
            .toList();
  }

  /// Reads the files that a path means.
  ///
  /// @throws PitwallException where none of them can be read, or they are not of one job
  public static OpenedRun read(Path path) {
    return read(List.of(path));
  }

  /// Reads the files that paths mean, one trace a rank, what lies beside the traces (memory
  /// snapshots, device samples) included.
  ///
  /// @throws PitwallException where none of them can be read, or they are not of one job
  public static OpenedRun read(List<Path> paths) {
    return read(paths, fraction -> {});
  }

  /// The same for a user who waits.
  ///
  /// @param fractionRead told often how much of the traces' bytes is read, 0 to 1, from any thread
  public static OpenedRun read(List<Path> paths, DoubleConsumer fractionRead) {
    SideRecordings beside = SideRecordings.of(paths);
    List<Path> logs = CompileRunReport.logsIn(paths);
    List<Path> others = new ArrayList<>(beside.others());
    others.removeAll(logs);
    if (!logs.isEmpty()) {
      beside = withCompiler(beside, paths);
      others.removeIf(other -> Files.isDirectory(other) && !TraceReaders.isAnyIn(other));
    }
    List<Path> files = beside.tracesOf(others);
    double bytes = Math.max(1, files.stream().mapToLong(file -> file.toFile().length()).sum());
    AtomicLong taken = new AtomicLong();
    LongConsumer take = more -> fractionRead.accept(Math.min(1, taken.addAndGet(more) / bytes));
    List<SampleLog> samples = beside.samples();
    List<Opened> opened =
        RankReading.of(files).parallelStream()
            .map(rank -> TraceInput.counting(take, () -> open(rank, samples)))
            .toList();
    List<Rank> ranks = new ArrayList<>();
    List<Section> joins = new ArrayList<>();
    List<SideRecordings.Source> refused = new ArrayList<>();
    PitwallException first = null;
    for (Opened one : opened) {
      if (one.refusal() != null) {
        first = first == null ? one.refusal() : first;
        refused.add(SideRecordings.Source.refused(one.file(), one.refusal()));
      } else if (one.rank() != null) {
        // Ranks of a job are joined alike, so the first stands for all.
        joins.addAll(ranks.isEmpty() ? one.joins() : List.of());
        ranks.add(one.rank());
      }
    }
    if (ranks.isEmpty() && first != null && beside.sections().isEmpty()) {
      throw first;
    }
    requireOneJob(ranks);
    beside = beside.with(joins, refused);
    return new OpenedRun(ranks, beside);
  }

  private static Opened open(RankReading.Files files, List<SampleLog> samples) {
    try {
      RankReading reading = RankReading.read(files, samples);
      return new Opened(
          reading.file(),
          new Rank(reading.file(), TraceIndex.of(reading.trace(), null)),
          reading.sections(),
          null);
    } catch (PitwallException refusal) {
      return new Opened(files.trace(), null, List.of(), refusal);
    }
  }

  private static void requireOneJob(List<Rank> ranks) {
    if (ranks.size() > 1) {
      OneJob.require(
          ranks.parallelStream()
              .map(rank -> OneJob.Rank.of(rank.file(), rank.observation()))
              .sorted(Comparator.comparingInt(OneJob.Rank::rank))
              .toList());
    }
  }

  private static SideRecordings withCompiler(SideRecordings beside, List<Path> paths) {
    SideRecordings compiler = CompileRunReport.read(paths).recordings();
    List<Section> sections = new ArrayList<>(beside.sections());
    sections.addAll(compiler.sections());
    List<SideRecordings.Source> sources = new ArrayList<>(beside.sources());
    // The run's own traces are its inputs already.
    compiler.sources().stream().filter(source -> !source.isTrace()).forEach(sources::add);
    return new SideRecordings(
        sections, beside.executionTraces(), beside.samples(), sources, beside.others());
  }

  /// A run whose traces are already in memory.
  ///
  /// @param name stands for the file in the report
  public static OpenedRun of(Path name, List<Trace> traces) {
    return new OpenedRun(
        traces.stream().map(trace -> new Rank(name, TraceIndex.of(trace, null))).toList(),
        SideRecordings.none());
  }

  /// One index a rank, in order of rank.
  public List<TraceIndex> ranks() {
    return ranks.stream().map(Rank::index).toList();
  }

  /// The traces that stand for the run.
  ///
  /// @throws PitwallException with exit code 3 where the run has no trace
  public JobSample sample() {
    if (ranks.isEmpty()) {
      throw PitwallException.unreadable(
          "The run holds no trace with a step in it, so there is nothing to compare.");
    }
    if (ranks.size() == 1) {
      return JobSample.of(ranks.getFirst().file(), ranks.getFirst().index());
    }
    return JobSample.of(
        ranks.stream().map(Rank::file).toList(), ranks.stream().map(Rank::observation).toList());
  }

  /// The step of the run, for a comparison with another.
  ///
  /// @throws PitwallException with exit code 3 where the run has no step to compare
  public Baseline baseline() {
    return sample().baselineToCompare();
  }

  /// The files that could not be read and were left out.
  public List<SideRecordings.Source> refused() {
    return beside.refused();
  }

  /// The logs of device samples beside the traces.
  public List<SampleLog> samples() {
    return beside.samples();
  }

  public List<Trace> traces() {
    return ranks.stream().map(rank -> rank.index().trace()).toList();
  }

  /// What Pitwall says of the run; worked out once.
  public synchronized Report report() {
    Report known = report;
    if (known == null) {
      known = ReportBuilder.build(results(), beside);
      report = known;
    }
    return known;
  }

  private List<RankResult> results() {
    List<RankResult> measured =
        ranks.stream().map(rank -> RunAnalysis.measure(rank.file(), rank.observation())).toList();
    if (measured.isEmpty()) {
      return measured;
    }
    JobSample sample = sample();
    return RunAnalysis.withGains(
        measured,
        RunAnalysis.representatives(measured),
        sample.slowestFirst().getFirst(),
        sample::study);
  }
}
