package dev.pitwall.trace;

import dev.pitwall.error.PitwallException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Finds the training steps of a trace from what the CPU threads say.
///
/// In order: ranges of the name the user gives; `ProfilerStep#N`; then, marked as inferred, the
/// spans between the ends of optimizer steps, or between data loader fetches; then ranges of the
/// program's own whose name says step, iteration or batch, or that repeat around nearly all of the
/// time. Where nothing repeats, the whole recording is one step of source `NONE`.
public final class StepFinder {
  private static final String PROFILER_STEP = "ProfilerStep";

  private StepFinder() {}

  /// @param stepName name of the ranges that are steps, with or without a trailing `#N`; null to
  ///     look
  /// @throws PitwallException with exit code 2 where the trace has no range of the name given
  public static Steps find(Trace trace, @Nullable String stepName) {
    if (stepName != null) {
      List<Integer> rows = rangesOnOneThread(trace, name -> isNumbered(name, stepName));
      if (rows.isEmpty()) {
        throw PitwallException.usage(
            "No range named '"
                + stepName
                + "' is in the trace; leave --step-name out, or name one that is.");
      }
      return steps(Steps.Source.NAMED_RANGE, stepName, trace, rows);
    }
    List<Integer> profilerSteps = rangesOnOneThread(trace, name -> isNumbered(name, PROFILER_STEP));
    if (!profilerSteps.isEmpty()) {
      return steps(Steps.Source.PROFILER_STEP, PROFILER_STEP, trace, profilerSteps);
    }
    List<Integer> optimizerSteps =
        rangesOnOneThread(trace, name -> name.startsWith("Optimizer.step#"));
    if (optimizerSteps.size() >= 2) {
      return between(trace, optimizerSteps, "Optimizer.step", true);
    }
    List<Integer> fetches =
        rangesOnOneThread(trace, name -> name.startsWith("enumerate(DataLoader)#"));
    if (fetches.size() >= 3) {
      return between(trace, fetches, "enumerate(DataLoader)", false);
    }
    RepeatedRanges ranges = RepeatedRanges.find(trace);
    if (ranges.overlap(trace.slices())) {
      return between(trace, ranges.rows(), ranges.name(), false);
    }
    if (!ranges.rows().isEmpty()) {
      return steps(
          ranges.named() ? Steps.Source.NAMED_RANGE : Steps.Source.INFERRED,
          ranges.name(),
          trace,
          ranges.rows());
    }
    return whole(trace);
  }

  private static boolean isNumbered(String name, String wanted) {
    if (!name.startsWith(wanted)) {
      return false;
    }
    if (name.length() == wanted.length()) {
      return true;
    }
    int hash = wanted.length();
    return name.charAt(hash) == '#'
        && name.length() > hash + 1
        && name.chars().skip(hash + 1).allMatch(Character::isDigit);
  }

  /// Rows of the annotations with such a name on the thread that has most of them, in order of
  /// start and without those nested in another of theirs.
  private static List<Integer> rangesOnOneThread(Trace trace, Predicate<String> wanted) {
    boolean[] wantedName = new boolean[trace.names().size()];
    boolean any = false;
    for (int id = 0; id < wantedName.length; id++) {
      wantedName[id] = wanted.test(trace.names().text(id));
      any |= wantedName[id];
    }
    if (!any) {
      return List.of();
    }
    Slices slices = trace.slices();
    Map<Integer, List<Integer>> rowsByTrack = new HashMap<>();
    List<Integer> best = List.of();
    for (Track track : trace.tracks()) {
      if (track.kind() == Track.Kind.STREAM) {
        continue;
      }
      long openUntil = Long.MIN_VALUE;
      for (int row = trace.firstRow(track.id()); row < trace.endRow(track.id()); row++) {
        Category category = slices.category(row);
        if (wantedName[slices.nameId(row)]
            && (category == Category.USER_ANNOTATION || category == Category.CPU_OP)
            && slices.startNanos(row) >= openUntil) {
          List<Integer> rows = rowsByTrack.computeIfAbsent(track.id(), unused -> new ArrayList<>());
          rows.add(row);
          openUntil = slices.endNanos(row);
          if (rows.size() > best.size()) {
            best = rows;
          }
        }
      }
    }
    return best;
  }

  private static Steps steps(Steps.Source source, String name, Trace trace, List<Integer> rows) {
    Slices slices = trace.slices();
    long[] starts = new long[rows.size()];
    long[] ends = new long[rows.size()];
    for (int step = 0; step < starts.length; step++) {
      starts[step] = slices.startNanos(rows.get(step));
      ends[step] = slices.endNanos(rows.get(step));
    }
    return new Steps(source, name, starts, ends);
  }

  /// Steps that end where a range ends (`atEnds`) or begin where one begins.
  private static Steps between(Trace trace, List<Integer> rows, String name, boolean atEnds) {
    Slices slices = trace.slices();
    int count = rows.size() - 1;
    long[] starts = new long[count];
    long[] ends = new long[count];
    for (int step = 0; step < count; step++) {
      int from = rows.get(step);
      int to = rows.get(step + 1);
      starts[step] = atEnds ? slices.endNanos(from) : slices.startNanos(from);
      ends[step] = atEnds ? slices.endNanos(to) : slices.startNanos(to);
    }
    return new Steps(Steps.Source.INFERRED, name, starts, ends);
  }

  /// The whole recording as one step, none where it is empty.
  static Steps whole(Trace trace) {
    Slices slices = trace.slices();
    long start = Long.MAX_VALUE;
    long end = Long.MIN_VALUE;
    for (int row = 0; row < slices.size(); row++) {
      start = Math.min(start, slices.startNanos(row));
      end = Math.max(end, slices.endNanos(row));
    }
    return slices.size() == 0
        ? new Steps(Steps.Source.NONE, "", new long[0], new long[0])
        : new Steps(Steps.Source.NONE, "", new long[] {start}, new long[] {end});
  }
}
