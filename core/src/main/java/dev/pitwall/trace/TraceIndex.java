package dev.pitwall.trace;

import org.jspecify.annotations.Nullable;

/// A trace with what every analysis asks of it, derived once: its steps, which call launched which
/// device work, and which slice encloses which.
public record TraceIndex(Trace trace, Steps steps, Launches launches, CallTree calls) {
  /// Where device work was recorded without its launches no step is known, and the whole recording
  /// is one.
  ///
  /// @param stepName name of the ranges that are steps, or null to find them
  public static TraceIndex of(Trace trace, @Nullable String stepName) {
    Steps steps = StepFinder.find(trace, stepName);
    Launches launches = Launches.of(trace);
    return new TraceIndex(
        trace,
        launches.areUnrecorded() ? StepFinder.whole(trace) : steps,
        launches,
        CallTree.of(trace));
  }

  /// The step a slice belongs to, -1 outside of all and for orphans: for device work the step that
  /// launched it, for everything else the step it starts in.
  public int stepOf(int row) {
    Slices slices = trace.slices();
    if (!slices.category(row).isDeviceWork()) {
      return steps.stepAt(slices.startNanos(row));
    }
    int launch = launches.launchOf(row);
    return launch == Slices.NONE ? -1 : steps.stepAt(slices.startNanos(launch));
  }

  /// The step that the time of device work counts in: the step that launched it, or where no launch
  /// was recorded the only one; -1 outside of all.
  public int countedStepOf(int deviceRow) {
    return launches.areUnrecorded() ? 0 : stepOf(deviceRow);
  }

  /// How many slices of this host category and name start in a step, or outside of all for -1.
  public int occurrences(int step, Category category, String name) {
    int nameId = trace.names().find(name);
    Slices slices = trace.slices();
    int count = 0;
    if (step < 0) {
      for (int row = 0; row < slices.size(); row++) {
        boolean named = slices.nameId(row) == nameId && slices.category(row) == category;
        count += named && steps.stepAt(slices.startNanos(row)) < 0 ? 1 : 0;
      }
      return count;
    }
    for (Track track : trace.tracks()) {
      int end = trace.firstRowFrom(track.id(), steps.endNanos()[step]);
      for (int row = trace.firstRowFrom(track.id(), steps.startNanos()[step]); row < end; row++) {
        count += slices.nameId(row) == nameId && slices.category(row) == category ? 1 : 0;
      }
    }
    return count;
  }

  /// The operator that launched this device work or made this API call: the innermost CPU operator
  /// around the call; [Slices#NONE] where there is none.
  public int operatorOf(int row) {
    int call = trace.slices().category(row).isDeviceWork() ? launches.launchOf(row) : row;
    return call == Slices.NONE ? Slices.NONE : calls.enclosing(call, Category.CPU_OP);
  }
}
