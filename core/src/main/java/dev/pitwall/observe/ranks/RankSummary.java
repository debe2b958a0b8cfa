package dev.pitwall.observe.ranks;

import dev.pitwall.observe.DeviceTime;
import dev.pitwall.observe.Observation;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Collective;
import dev.pitwall.trace.IntColumn;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Steps;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.InputWaits;
import dev.pitwall.trace.pattern.KernelClass;
import dev.pitwall.trace.pattern.KernelNames;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What a comparison of ranks needs of one rank: its size follows the collectives of the trace, not
/// its events.
///
/// @param rank rank of the job
/// @param calls its collectives, in order of start on the device
/// @param steps its steps
/// @param activity what its device was about between the collectives
public record RankSummary(int rank, List<Call> calls, List<Step> steps, RankActivity activity) {
  public RankSummary {
    calls = List.copyOf(calls);
    steps = List.copyOf(steps);
  }

  /// One collective on this rank. Times are nanoseconds since 1970 by this rank's clock, or since
  /// its trace's base where the recorder does not tell; [ClockAlignment] makes them comparable.
  ///
  /// @param kind process group, operation and element count: equal on all ranks of the group
  /// @param label how the collective is written for people
  /// @param step step that launched it, -1 outside of steps
  /// @param occurrence how many of its kind this rank had before in this step
  /// @param exposedNanos the part of it in which no other kernel ran on this rank
  public record Call(
      String kind,
      String label,
      int step,
      int occurrence,
      long startNanos,
      long endNanos,
      long exposedNanos) {
    Call withOccurrence(int number) {
      return new Call(kind, label, step, number, startNanos, endNanos, exposedNanos);
    }

    Call shifted(long nanos) {
      return new Call(
          kind, label, step, occurrence, startNanos + nanos, endNanos + nanos, exposedNanos);
    }
  }

  /// Where one step's time went on this rank, in nanoseconds.
  ///
  /// @param computeNanos kernels that are no collectives, added up
  /// @param inputNanos waiting for the next batch, before or in the step
  /// @param copyNanos copies and sets of memory, added up
  /// @param pythonNanos the launching threads run no operator and make no call: what a recorder
  ///     makes longer least of what a host does
  public record Step(
      long startNanos,
      long endNanos,
      long computeNanos,
      long inputNanos,
      long copyNanos,
      long pythonNanos) {}

  /// @param fallbackRank rank to use where the trace does not say
  public static RankSummary of(Observation observation, int fallbackRank) {
    TraceIndex index = observation.index();
    Trace trace = index.trace();
    int rank = trace.recording().rank() >= 0 ? trace.recording().rank() : fallbackRank;
    long epoch = Math.max(0, trace.recording().epochNanos());
    KernelNames kernels = observation.kernelNames();
    Slices slices = trace.slices();
    Steps ranges = index.steps();
    long[] compute = new long[ranges.count()];
    long[] copies = new long[ranges.count()];
    List<Integer> collectiveRows = new ArrayList<>();
    IntColumn computeRows = new IntColumn();
    for (int row : slices.deviceRows()) {
      if (slices.category(row) != Category.KERNEL) {
        int step = index.countedStepOf(row);
        if (step >= 0) {
          copies[step] += slices.durationNanos(row);
        }
        continue;
      }
      if (kernels.classOf(slices.nameId(row)) == KernelClass.COMMUNICATION) {
        collectiveRows.add(row);
      } else {
        computeRows.add(row);
        int step = index.countedStepOf(row);
        if (step >= 0) {
          compute[step] += slices.durationNanos(row);
        }
      }
    }
    collectiveRows.sort(Comparator.comparingLong(slices::startNanos));
    BusyTime computing = BusyTime.of(slices, computeRows);
    Map<String, Integer> occurrences = new HashMap<>();
    Map<String, String> texts = new HashMap<>();
    IntColumn communicationRows = new IntColumn();
    List<Call> calls = new ArrayList<>();
    for (int row : collectiveRows) {
      communicationRows.add(row);
      int step = index.countedStepOf(row);
      Collective collective = collective(index, row);
      String kind =
          collective == null
              ? trace.name(row) + " on stream " + trace.tracks().get(slices.track(row)).stream()
              : collective.processGroup()
                  + " "
                  + collective.name()
                  + " "
                  + collective.inputElements();
      int occurrence = occurrences.merge(step + " " + kind, 1, Integer::sum) - 1;
      calls.add(
          new Call(
              once(texts, kind),
              once(texts, label(collective, trace.name(row))),
              step,
              occurrence,
              epoch + slices.startNanos(row),
              epoch + slices.endNanos(row),
              slices.durationNanos(row)
                  - computing.overlap(slices.startNanos(row), slices.endNanos(row))));
    }
    DeviceTime device = observation.deviceTime();
    return new RankSummary(
        rank,
        calls,
        steps(index, compute, copies, observation.host().pythonNanosOfStep(), epoch),
        device == null
            ? RankActivity.none()
            : RankActivity.of(
                slices, device, calls, computeRows, communicationRows, computing, epoch));
  }

  /// Thousands of calls share a few texts.
  private static String once(Map<String, String> texts, String text) {
    String known = texts.putIfAbsent(text, text);
    return known == null ? text : known;
  }

  private static List<Step> steps(
      TraceIndex index, long[] compute, long[] copies, long[] python, long epoch) {
    Steps ranges = index.steps();
    long[] input = new long[ranges.count()];
    Slices slices = index.trace().slices();
    for (int row : InputWaits.find(index)) {
      int step = ranges.stepAt(slices.startNanos(row));
      if (step < 0) {
        step = ranges.stepAt(slices.endNanos(row));
      }
      if (step >= 0) {
        input[step] += slices.durationNanos(row);
      }
    }
    List<Step> steps = new ArrayList<>();
    for (int step = 0; step < ranges.count(); step++) {
      steps.add(
          new Step(
              epoch + ranges.startNanos()[step],
              epoch + ranges.endNanos()[step],
              compute[step],
              input[step],
              copies[step],
              python[step]));
    }
    return steps;
  }

  /// What the collective moved: recorded on its kernel, or (PyTorch 2.11) only on the operator
  /// around its launch.
  private static @org.jspecify.annotations.Nullable Collective collective(
      TraceIndex index, int row) {
    Slices slices = index.trace().slices();
    int detail = slices.deviceWorkDetail(row);
    int found = detail == Slices.NONE ? -1 : slices.deviceWork().collective(detail);
    for (int at = index.operatorOf(row);
        found < 0 && at != Slices.NONE;
        at = index.calls().parent(at)) {
      int operator = slices.operatorDetail(at);
      found = operator == Slices.NONE ? -1 : slices.operators().collective(operator);
    }
    return found < 0 ? null : index.trace().collectives().get(found);
  }

  private static String label(
      @org.jspecify.annotations.Nullable Collective collective, String kernel) {
    if (collective == null) {
      int bracket = kernel.indexOf('(');
      return bracket > 0 ? kernel.substring(0, bracket) : kernel;
    }
    String group =
        collective.processGroupDescription().isEmpty()
            ? collective.processGroup()
            : collective.processGroupDescription();
    return collective.name()
        + " of "
        + Math.max(collective.inputElements(), collective.outputElements())
        + " "
        + collective.dtype()
        + (group.isEmpty() ? "" : " in " + group);
  }
}
