package dev.pitwall.observe;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.Track;
import dev.pitwall.trace.pattern.ApiCallKind;
import dev.pitwall.trace.pattern.ApiCalls;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/// Whether the recorder saw everything, asked before anybody believes an idle time. A recorder that
/// drops kernels makes a busy device look idle, and one impossible duration can outweigh a whole
/// run.
///
/// @param deviceRows kernels, copies and sets in the trace
/// @param orphans device work whose launch is not in the trace
/// @param launchesInSteps kernel launches and graph launches inside steps
/// @param launchesWithoutWork of these, how many have no device work in the trace
/// @param impossible device rows with a duration that cannot be true
/// @param overheadNanos the recorder's own work inside steps
/// @param warnings what the reader of a report must know, as sentences by code
public record RecordingQuality(
    int deviceRows,
    int orphans,
    int launchesInSteps,
    int launchesWithoutWork,
    BitSet impossible,
    long overheadNanos,
    List<Warning> warnings) {
  /// A launch may come without its kernel at the end of a window; above this share work was lost.
  private static final double LOST_SHARE = 0.02;

  /// Kernels of one stream may overlap by some microseconds (programmatic dependent launch, 22 us
  /// at most on the H200 recordings). A kernel that covers this many later starts of its stream
  /// did not run that long.
  private static final int COVERED_STARTS = 64;

  /// No single kernel of a training step takes a minute.
  private static final long LONGEST_KERNEL_NANOS = 60_000_000_000L;

  private static final String IMPLAUSIBLE_TIMES = "implausible-times";
  private static final String CLOCKS_APART = "clocks-apart";
  private static final String LAUNCHES_MISSING = "launches-missing";

  /// One thing to know.
  public record Warning(String code, long count, String text) {}

  public RecordingQuality {
    warnings = List.copyOf(warnings);
  }

  /// Examines a trace.
  static RecordingQuality of(TraceIndex index) {
    Trace trace = index.trace();
    Slices slices = trace.slices();
    ApiCalls calls = new ApiCalls(trace);
    int launches = 0;
    int lost = 0;
    for (int row : slices.apiCallRows()) {
      ApiCallKind kind = calls.kind(row);
      if ((kind == ApiCallKind.LAUNCH_KERNEL || kind == ApiCallKind.LAUNCH_GRAPH)
          && index.stepOf(row) >= 0
          && !isInsideApiCall(index, row)) {
        launches++;
        lost += index.launches().firstDeviceRow(row) == Slices.NONE ? 1 : 0;
      }
    }
    long overhead = 0;
    for (int row : slices.rows(Category.OVERHEAD)) {
      overhead += index.stepOf(row) >= 0 ? slices.durationNanos(row) : 0;
    }
    BitSet impossible = impossibleDurations(trace);
    int deviceRows = index.launches().deviceRows();
    int orphans = index.launches().orphans();
    List<Warning> warnings = new ArrayList<>();
    RecordedTimes times = RecordedTimes.of(index);
    times.implausible().ifPresent(text -> warnings.add(new Warning(IMPLAUSIBLE_TIMES, 1, text)));
    times
        .clocksApart()
        .ifPresent(text -> warnings.add(new Warning(CLOCKS_APART, deviceRows, text)));
    if (deviceRows > 0 && lost > LOST_SHARE * launches) {
      warnings.add(
          new Warning(
              "kernels-missing",
              lost,
              lost
                  + " of "
                  + launches
                  + " launches have no kernel in the trace: the recorder dropped device work, so"
                  + " idle times are not to be trusted."));
    }
    if (!impossible.isEmpty()) {
      warnings.add(
          new Warning(
              "impossible-duration",
              impossible.cardinality(),
              impossible.cardinality()
                  + " kernels have durations that cannot be true; they are left out of every"
                  + " sum."));
    }
    if (index.launches().areUnrecorded()) {
      warnings.add(
          new Warning(
              LAUNCHES_MISSING,
              deviceRows,
              String.format(
                  java.util.Locale.ROOT,
                  "The recording holds the launch of none of its %,d device rows (%,.1f ms of"
                      + " work), so no step can be told: the whole recording counts as one, and"
                      + " nothing is said of what the device waited for.",
                  deviceRows,
                  workNanos(slices) / 1e6)));
    } else if (orphans > 0) {
      warnings.add(
          new Warning(
              "orphans",
              orphans,
              orphans
                  + " of "
                  + deviceRows
                  + " device rows were launched before the recording began; they belong to no"
                  + " step."));
    }
    if (overhead > 0) {
      warnings.add(
          new Warning(
              "recorder-overhead",
              1,
              String.format(
                  java.util.Locale.ROOT,
                  "The recorder itself worked for %.1f ms inside the steps (buffer flushes and the"
                      + " like).",
                  overhead / 1e6)));
    }
    return new RecordingQuality(
        deviceRows, orphans, launches, lost, impossible, overhead, warnings);
  }

  private static long workNanos(Slices slices) {
    long sum = 0;
    for (int row : slices.deviceRows()) {
      sum += slices.durationNanos(row);
    }
    return sum;
  }

  /// The gravest doubt about the recording.
  public Doubt doubt() {
    if (warns(IMPLAUSIBLE_TIMES)) {
      return Doubt.TIMES;
    }
    if (warns(CLOCKS_APART)) {
      return Doubt.CLOCKS;
    }
    if (warns(LAUNCHES_MISSING)) {
      return Doubt.LAUNCHES;
    }
    return losesWork() ? Doubt.LOST_WORK : Doubt.NONE;
  }

  /// Whether idle times can be believed: device work was recorded with its launches, on the host's
  /// clock, and hardly any of it lost.
  public boolean idleIsCredible() {
    return deviceRows > 0 && !losesWork() && !warns(CLOCKS_APART) && !warns(LAUNCHES_MISSING);
  }

  private boolean losesWork() {
    return launchesWithoutWork > LOST_SHARE * launchesInSteps;
  }

  private boolean warns(String code) {
    return warnings.stream().anyMatch(warning -> warning.code().equals(code));
  }

  /// The rows whose durations can be true, in the same order.
  int[] withoutImpossible(int[] rows) {
    if (impossible.isEmpty()) {
      return rows;
    }
    int[] kept = new int[rows.length];
    int size = 0;
    for (int row : rows) {
      if (!impossible.get(row)) {
        kept[size++] = row;
      }
    }
    return java.util.Arrays.copyOf(kept, size);
  }

  private static boolean isInsideApiCall(TraceIndex index, int row) {
    int parent = index.calls().parent(row);
    return parent != Slices.NONE && index.trace().slices().category(parent).isApiCall();
  }

  private static BitSet impossibleDurations(Trace trace) {
    Slices slices = trace.slices();
    BitSet impossible = new BitSet();
    for (Track track : trace.tracks()) {
      if (track.kind() != Track.Kind.STREAM) {
        continue;
      }
      int end = trace.endRow(track.id());
      for (int row = trace.firstRow(track.id()); row < end; row++) {
        if (slices.category(row) != Category.KERNEL) {
          continue;
        }
        boolean coversMany =
            row + COVERED_STARTS < end
                && slices.startNanos(row + COVERED_STARTS) < slices.endNanos(row)
                && slices.correlation(row) != slices.correlation(row + COVERED_STARTS)
                && slices.category(row + COVERED_STARTS) == Category.KERNEL;
        if (coversMany || slices.durationNanos(row) > LONGEST_KERNEL_NANOS) {
          impossible.set(row);
        }
      }
    }
    return impossible;
  }
}
