package dev.pitwall.observe.hta;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The rows that HTA keeps of a trace, and their times in its arithmetic: microseconds as doubles
/// (an absolute timestamp keeps only a quarter of a microsecond then), rounded inwards to whole
/// microseconds unless rounding is off, counted from the first row.
///
/// Rows on a stream stay only if an API call with the same correlation id is among the kept CPU
/// rows, so work launched before the recording drops out; with two or more steps the last one drops
/// out too, unless asked for.
final class HtaFrame {
  private static final String STEP = "ProfilerStep#";

  private final Trace trace;
  private final boolean rounding;
  private final double origin;

  /// Kept device rows in HTA's sense, ordered by start. A row that two kept calls share is in it
  /// twice, as in HTA.
  final int[] deviceRows;

  /// The kept API call of each of `deviceRows`, [Slices#NONE] where there is none.
  final int[] launchRows;

  /// @param includeLastStep `include_last_profiler_step`
  /// @param rounding whether times are rounded inwards (`HTA_DISABLE_NS_ROUNDING` unset)
  HtaFrame(Trace trace, boolean includeLastStep, boolean rounding) {
    this.trace = trace;
    this.rounding = rounding;
    Slices slices = trace.slices();
    double first = Double.MAX_VALUE;
    double lastStepStart = -1;
    double lastStepEnd = -1;
    Set<Integer> stepNames = new HashSet<>();
    for (int row = 0; row < slices.size(); row++) {
      if (!isRow(row)) {
        continue;
      }
      first = Math.min(first, absoluteStart(row));
    }
    origin = first;
    for (int row = 0; row < slices.size(); row++) {
      if (isRow(row) && trace.name(row).startsWith(STEP)) {
        stepNames.add(slices.nameId(row));
        lastStepStart = Math.max(lastStepStart, start(row));
        lastStepEnd = Math.max(lastStepEnd, end(row));
      }
    }
    boolean filtered = stepNames.size() >= 2;
    Map<Integer, List<Integer>> callsByCorrelation = new HashMap<>();
    List<Integer> onStreams = new ArrayList<>();
    for (int row = 0; row < slices.size(); row++) {
      if (!isRow(row)) {
        continue;
      }
      if (stream(row) != -1) {
        onStreams.add(row);
        continue;
      }
      boolean kept =
          !filtered || (includeLastStep ? start(row) <= lastStepEnd : start(row) < lastStepStart);
      if (kept && slices.correlation(row) != Slices.NONE) {
        callsByCorrelation
            .computeIfAbsent(slices.correlation(row), unused -> new ArrayList<>(1))
            .add(row);
      }
    }
    List<int[]> pairs = new ArrayList<>();
    for (int row : onStreams) {
      List<Integer> calls = callsByCorrelation.getOrDefault(slices.correlation(row), List.of());
      if (filtered) {
        for (int call : calls) {
          pairs.add(new int[] {row, call});
        }
      } else {
        pairs.add(new int[] {row, calls.isEmpty() ? Slices.NONE : calls.getLast()});
      }
    }
    pairs.sort((a, b) -> Double.compare(start(a[0]), start(b[0])));
    deviceRows = pairs.stream().mapToInt(pair -> pair[0]).toArray();
    launchRows = pairs.stream().mapToInt(pair -> pair[1]).toArray();
  }

  /// Start in microseconds since the first row.
  double start(int row) {
    return absoluteStart(row) - origin;
  }

  /// End in microseconds since the first row; rounded inwards it may lie before the start.
  double end(int row) {
    double duration = trace.slices().durationNanos(row) / 1000.0;
    if (rounding) {
      return Math.floor(micros(trace.slices().startNanos(row)) + duration) - origin;
    }
    return start(row) + duration;
  }

  /// HTA's `stream`: the recorded one, or -1 for everything on the CPU. Host rows of Triton kernels
  /// carry a `stream` of 0 and count as device rows.
  long stream(int row) {
    Slices slices = trace.slices();
    Category category = slices.category(row);
    if (category.isDeviceWork()) {
      return trace.tracks().get(slices.track(row)).stream();
    }
    if (category == Category.DEVICE_SYNC) {
      int detail = slices.syncDetail(row);
      return detail == Slices.NONE ? -1 : slices.syncs().recordedStream(detail);
    }
    return category == Category.CPU_OP && trace.name(row).startsWith("triton_") ? 0 : -1;
  }

  String name(int row) {
    return trace.name(row);
  }

  Category category(int row) {
    return trace.slices().category(row);
  }

  /// The streams of the kept device rows, ascending.
  long[] streams() {
    return Arrays.stream(deviceRows).mapToLong(this::stream).distinct().sorted().toArray();
  }

  private boolean isRow(int row) {
    return trace.slices().categoryNameId(row) != 0;
  }

  private double absoluteStart(int row) {
    double micros = micros(trace.slices().startNanos(row));
    return rounding ? Math.ceil(micros) : micros;
  }

  /// What a double makes of the file's decimal text.
  private static double micros(long nanos) {
    return nanos / 1000 + (nanos % 1000) / 1000.0;
  }
}
