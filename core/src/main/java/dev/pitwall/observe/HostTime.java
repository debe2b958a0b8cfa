package dev.pitwall.observe;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.Track;
import dev.pitwall.trace.pattern.ApiCallKind;
import dev.pitwall.trace.pattern.ApiCalls;
import dev.pitwall.trace.pattern.InputWaits;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Where the time of the threads that drive the training went, inside the steps' CPU ranges: every
/// moment counts once, so the parts add up to the steps. While backward runs on its own thread the
/// forward thread only waits, so the threads that launch are taken together: a moment in which any
/// of them runs an operator counts as operators.
///
/// @param threads threads taken together
/// @param stepNanos sum of the CPU ranges of the steps
/// @param operatorNanos operators: dispatch, autograd, Python in them
/// @param launchNanos runtime and driver calls that do not wait
/// @param waitNanos calls that wait for the device
/// @param inputNanos waiting for the next batch, whatever the waiting thread does meanwhile
/// @param pythonNanosOfStep the rest, step by step: Python between operators, and sleep
/// @param operators operators and autograd nodes
/// @param calls runtime and driver calls
/// @param kernelLaunches of these, launches of kernels and graphs
public record HostTime(
    int threads,
    long stepNanos,
    long operatorNanos,
    long launchNanos,
    long waitNanos,
    long inputNanos,
    long[] pythonNanosOfStep,
    int operators,
    int calls,
    int kernelLaunches) {
  static HostTime of(TraceIndex index) {
    Trace trace = index.trace();
    Slices slices = trace.slices();
    ApiCalls apiCalls = new ApiCalls(trace);
    boolean[] isInputWait = new boolean[slices.size()];
    for (int row : InputWaits.find(index)) {
      isInputWait[row] = true;
    }
    boolean[] driving = drivingTracks(index);
    List<HostStates> threads = new ArrayList<>();
    int operators = 0;
    int calls = 0;
    int kernelLaunches = 0;
    for (Track track : trace.tracks()) {
      if (!driving[track.id()]) {
        continue;
      }
      threads.add(HostStates.of(trace, track.id(), apiCalls, isInputWait));
      for (int row = trace.firstRow(track.id()); row < trace.endRow(track.id()); row++) {
        if (index.stepOf(row) < 0) {
          continue;
        }
        if (slices.category(row) == Category.CPU_OP) {
          operators++;
        } else if (slices.category(row).isApiCall()) {
          calls++;
          ApiCallKind kind = apiCalls.kind(row);
          boolean launches = kind == ApiCallKind.LAUNCH_KERNEL || kind == ApiCallKind.LAUNCH_GRAPH;
          kernelLaunches += launches ? 1 : 0;
        }
      }
    }
    if (threads.isEmpty() && index.launches().areUnrecorded()) {
      // A recording of the device alone: what the host did meanwhile is not the time of Python.
      return new HostTime(0, 0, 0, 0, 0, 0, new long[index.steps().count()], 0, 0, 0);
    }
    long[][] nanos =
        HostStates.together(threads, index.steps().startNanos(), index.steps().endNanos());
    return new HostTime(
        threads.size(),
        Arrays.stream(nanos).flatMapToLong(Arrays::stream).sum(),
        sum(nanos, HostStates.OPERATOR),
        sum(nanos, HostStates.LAUNCH),
        sum(nanos, HostStates.WAIT),
        sum(nanos, HostStates.INPUT),
        Arrays.stream(nanos).mapToLong(step -> step[HostStates.PYTHON]).toArray(),
        operators,
        calls,
        kernelLaunches);
  }

  /// The rest over all steps.
  public long pythonNanos() {
    return Arrays.stream(pythonNanosOfStep).sum();
  }

  private static long sum(long[][] nanos, int state) {
    return Arrays.stream(nanos).mapToLong(step -> step[state]).sum();
  }

  /// Tracks with kernel launches; in a trace without any, the tracks with operators.
  private static boolean[] drivingTracks(TraceIndex index) {
    Trace trace = index.trace();
    Slices slices = trace.slices();
    boolean[] launching = new boolean[trace.tracks().size()];
    boolean any = false;
    for (int row : slices.apiCallRows()) {
      if (index.launches().firstDeviceRow(row) >= 0) {
        launching[slices.track(row)] = true;
        any = true;
      }
    }
    if (any) {
      return launching;
    }
    boolean[] operating = new boolean[trace.tracks().size()];
    for (int row : slices.rows(Category.CPU_OP)) {
      operating[slices.track(row)] = true;
    }
    return operating;
  }
}
