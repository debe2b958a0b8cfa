package dev.pitwall.observe;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.Track;
import dev.pitwall.trace.pattern.ApiCallKind;
import dev.pitwall.trace.pattern.ApiCalls;
import dev.pitwall.trace.pattern.InputWaits;

/// Where the time of the threads that drive the training went, inside the steps' CPU ranges. While
/// backward runs on its own thread the forward thread only waits, so the threads that launch are
/// taken together: a moment in which any of them runs an operator counts as operators.
///
/// @param stepNanos sum of the CPU ranges of the steps
/// @param operatorNanos self time of operators and annotations: dispatch, autograd, Python in them
/// @param launchNanos time in runtime and driver calls that do not wait
/// @param waitNanos time in calls that wait for the device
/// @param inputNanos time waiting for the next batch
/// @param pythonNanos the rest: Python between operators
/// @param calls runtime and driver calls
/// @param kernelLaunches of these, launches of kernels and graphs
public record HostTime(
    long stepNanos,
    long operatorNanos,
    long launchNanos,
    long waitNanos,
    long inputNanos,
    long pythonNanos,
    int calls,
    int kernelLaunches) {
  static HostTime of(TraceIndex index) {
    Trace trace = index.trace();
    Slices slices = trace.slices();
    ApiCalls apiCalls = new ApiCalls(trace);
    boolean[] driving = drivingTracks(index);
    long operators = 0;
    long launch = 0;
    long wait = 0;
    int calls = 0;
    int kernelLaunches = 0;
    for (Track track : trace.tracks()) {
      if (!driving[track.id()]) {
        continue;
      }
      for (int row = trace.firstRow(track.id()); row < trace.endRow(track.id()); row++) {
        Category category = slices.category(row);
        if (category == Category.PYTHON_FUNCTION || index.stepOf(row) < 0) {
          continue;
        }
        if (category == Category.CPU_OP) {
          operators += index.calls().selfNanos(row);
        } else if (category.isApiCall()) {
          calls++;
          ApiCallKind kind = apiCalls.kind(row);
          if (kind.waitsForDevice()) {
            wait += index.calls().selfNanos(row);
          } else {
            launch += index.calls().selfNanos(row);
          }
          boolean launches = kind == ApiCallKind.LAUNCH_KERNEL || kind == ApiCallKind.LAUNCH_GRAPH;
          kernelLaunches += launches ? 1 : 0;
        }
      }
    }
    long input = 0;
    for (int row : InputWaits.find(index)) {
      input += index.stepOf(row) >= 0 ? slices.durationNanos(row) : 0;
    }
    long steps = 0;
    for (int step = 0; step < index.steps().count(); step++) {
      steps += index.steps().endNanos()[step] - index.steps().startNanos()[step];
    }
    long python = Math.max(0, steps - operators - launch - wait - input);
    return new HostTime(steps, operators, launch, wait, input, python, calls, kernelLaunches);
  }

  /// Tracks with kernel launches; in a trace without any, the tracks with operators.
  private static boolean[] drivingTracks(TraceIndex index) {
    Trace trace = index.trace();
    Slices slices = trace.slices();
    boolean[] launching = new boolean[trace.tracks().size()];
    boolean[] operating = new boolean[trace.tracks().size()];
    boolean any = false;
    for (int row = 0; row < slices.size(); row++) {
      if (slices.category(row).isApiCall() && index.launches().firstDeviceRow(row) >= 0) {
        launching[slices.track(row)] = true;
        any = true;
      } else if (slices.category(row) == Category.CPU_OP) {
        operating[slices.track(row)] = true;
      }
    }
    return any ? launching : operating;
  }
}
