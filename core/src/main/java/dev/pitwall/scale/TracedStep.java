package dev.pitwall.scale;

import dev.pitwall.error.PitwallException;
import dev.pitwall.pass.scale.LayeredStep;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Shapes;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.KernelClass;
import dev.pitwall.trace.pattern.KernelNames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The layers of a recorded one-GPU step and what each takes on the host and on the device.
///
/// Layers are found from the gradients: `AccumulateGrad` runs once for each parameter in the order
/// in which DDP would reduce them, and the sequence of their sizes repeats with the layers. The
/// backward of a layer lies between the last gradients of its neighbours; its forward is found by
/// the sequence numbers that autograd gave both.
///
/// Host times are those without the profiler: less 3 us for each recorded operator and runtime call
/// (host-bound runs of h200/multi and h200/memory, profiled against unprofiled), and less what a
/// launch waited for a full queue.
///
/// @param units embedding, layers, head in order of the forward
/// @param hostSlowness how much slower the host is than that of h200/multi, by its time for a
///     recorded event
/// @param parameters all parameters that got a gradient
public record TracedStep(
    List<LayeredStep.UnitTimes> units,
    long optimizerHostNanos,
    long optimizerDeviceNanos,
    double hostSlowness,
    long parameters) {

  private static final long RECORDING_NANOS_PER_EVENT = 3_000;

  /// Profiled nanoseconds of one recorded event on the host of h200/multi (s_single: 52.2 ms for
  /// 6,619 operators and calls).
  private static final double REFERENCE_NANOS_PER_EVENT = 7_900;

  /// A launch that lasts longer waited for a place in the launch queue.
  private static final long BLOCKED_LAUNCH_NANOS = 60_000;

  /// Time between two queued kernels of one stream that the recorder counts to neither (h200/multi:
  /// the unprofiled GPU-bound step of both models less the sum of its kernels).
  private static final long GAP_NANOS = 2_000;

  private static final long FREE_LAUNCH_NANOS = 8_000;

  public TracedStep {
    units = List.copyOf(units);
  }

  /// The same layers, everything taking so many times as long.
  TracedStep times(double factor) {
    return new TracedStep(
        units.stream().map(unit -> unit.times(factor)).toList(),
        Math.round(optimizerHostNanos * factor),
        Math.round(optimizerDeviceNanos * factor),
        hostSlowness,
        parameters);
  }

  public long layers() {
    return units.stream().filter(LayeredStep.UnitTimes::isLayer).count();
  }

  /// Reads the last whole step of a trace.
  ///
  /// @throws PitwallException where the trace shows no step, no backward or no shapes
  public static TracedStep of(TraceIndex index) {
    if (index.steps().count() == 0) {
      throw PitwallException.unreadable(
          "The trace shows no training step; record it with prof.step() in the loop.");
    }
    return new Reading(index, index.steps().count() - 1).read();
  }

  private static final class Reading {
    private final TraceIndex index;
    private final Trace trace;
    private final Slices slices;
    private final long stepStart;
    private final long stepEnd;
    private final List<Integer> gradients = new ArrayList<>();
    private long[] elements = {};
    private long backwardStart = Long.MAX_VALUE;
    private long backwardEnd;
    private long events;

    Reading(TraceIndex index, int step) {
      this.index = index;
      trace = index.trace();
      slices = trace.slices();
      stepStart = index.steps().startNanos()[step];
      stepEnd = index.steps().endNanos()[step];
    }

    TracedStep read() {
      refuseOtherRanks();
      scan();
      if (gradients.isEmpty()) {
        throw PitwallException.unreadable(
            "The trace shows no gradients being accumulated, so its layers cannot be found; record"
                + " CPU activities and a backward of a step without other ranks.");
      }
      elements = gradientElements();
      if (Arrays.stream(elements).sum() == 0) {
        throw PitwallException.unreadable(
            "The trace has no shapes; record it with record_shapes=True to plan from it.");
      }
      Repetition layers = Repetition.of(elements);
      long[] backward = backwardBoundaries(layers);
      long[] forward = forwardBoundaries(layers, backward);
      List<LayeredStep.UnitTimes> units = new ArrayList<>();
      int count = layers.times() + 2;
      for (int unit = 0; unit < count; unit++) {
        // Units in order of the forward; gradients come in order of the backward.
        int fromEnd = count - 1 - unit;
        long[] own = ownGradients(layers, fromEnd);
        boolean isLayer = unit > 0 && unit < count - 1;
        units.add(
            new LayeredStep.UnitTimes(
                unit == 0 ? "embedding" : isLayer ? "layer " + (unit - 1) : "head",
                own,
                isLayer,
                hostNanos(forward[unit], forward[unit + 1]),
                deviceNanos(forward[unit], forward[unit + 1]),
                hostNanos(backward[fromEnd], backward[fromEnd + 1]),
                deviceNanos(backward[fromEnd], backward[fromEnd + 1])));
      }
      double perEvent = (stepEnd - stepStart) / (double) Math.max(1, events);
      double slowness = Math.max(0.6, Math.min(1.6, perEvent / REFERENCE_NANOS_PER_EVENT));
      return new TracedStep(
          units,
          hostNanos(backwardEnd, stepEnd),
          deviceNanos(backwardEnd, stepEnd),
          slowness,
          Arrays.stream(elements).sum());
    }

    /// A step that talks to other GPUs is no step of one: its layers wait for them.
    private void refuseOtherRanks() {
      KernelNames kernels = new KernelNames(trace.names());
      for (int row : slices.rows(Category.KERNEL)) {
        if (kernels.classOf(slices.nameId(row)) == KernelClass.COMMUNICATION
            && index.stepOf(row) >= 0) {
          int ranks = trace.recording().worldSize();
          throw PitwallException.usage(
              "plan --trace takes a step on one GPU, and this one"
                  + (ranks > 1 ? ", of a job of " + ranks + " ranks," : "")
                  + " runs collectives ("
                  + trace.name(row)
                  + "), whose cost would be counted twice; record the same program on one GPU"
                  + " without DDP or FSDP.");
        }
      }
    }

    private void scan() {
      for (int row = 0; row < slices.size(); row++) {
        long start = slices.startNanos(row);
        if (start < stepStart || start >= stepEnd || !isRecordedCall(row)) {
          continue;
        }
        events++;
        String name = trace.name(row);
        if (name.startsWith("autograd::engine::evaluate_function")) {
          backwardStart = Math.min(backwardStart, start);
          backwardEnd = Math.max(backwardEnd, slices.endNanos(row));
        } else if (name.equals("torch::autograd::AccumulateGrad")) {
          gradients.add(row);
        }
      }
      gradients.sort((a, b) -> Long.compare(slices.startNanos(a), slices.startNanos(b)));
    }

    private boolean isRecordedCall(int row) {
      Category category = slices.category(row);
      return category == Category.CPU_OP
          || category == Category.USER_ANNOTATION
          || category.isApiCall();
    }

    private long[] gradientElements() {
      long[] sizes = new long[gradients.size()];
      for (int i = 0; i < sizes.length; i++) {
        int detail = slices.operatorDetail(gradients.get(i));
        if (detail != Slices.NONE) {
          String shapes = trace.names().text(slices.operators().inputShapesId(detail));
          long[] dimensions = Shapes.parse(shapes).tensor(0);
          sizes[i] = dimensions.length == 0 ? 0 : Shapes.elements(dimensions);
        }
      }
      return sizes;
    }

    private long[] ownGradients(Repetition layers, int fromEnd) {
      int last = layers.times() + 1;
      int begin = fromEnd == 0 ? 0 : layers.first() + (fromEnd - 1) * layers.period();
      int end =
          fromEnd == 0
              ? layers.first()
              : fromEnd == last ? elements.length : begin + layers.period();
      return Arrays.copyOfRange(elements, Math.min(begin, elements.length), end);
    }

    /// Boundaries in order of the backward: head, last layer, ..., first layer, embedding.
    private long[] backwardBoundaries(Repetition layers) {
      long[] boundaries = new long[layers.times() + 3];
      boundaries[0] = backwardStart;
      for (int i = 0; i <= layers.times(); i++) {
        int lastGradient = layers.first() + i * layers.period() - 1;
        boundaries[i + 1] =
            lastGradient < 0 ? backwardStart : slices.endNanos(gradients.get(lastGradient));
      }
      boundaries[layers.times() + 2] = backwardEnd;
      return boundaries;
    }

    /// Boundaries in order of the forward: embedding, first layer, ..., head, start of backward.
    private long[] forwardBoundaries(Repetition layers, long[] backward) {
      int count = layers.times() + 2;
      long[] lowest = new long[count];
      Arrays.fill(lowest, Long.MAX_VALUE);
      for (int row = 0; row < slices.size(); row++) {
        long start = slices.startNanos(row);
        if (start < backwardStart || start >= backwardEnd) {
          continue;
        }
        long sequence = sequenceOf(row);
        if (sequence >= 0 && trace.name(row).startsWith("autograd::engine::evaluate_function")) {
          int fromEnd = intervalOf(backward, start);
          lowest[fromEnd] = Math.min(lowest[fromEnd], sequence);
        }
      }
      long[] boundaries = new long[count + 1];
      boundaries[0] = stepStart;
      boundaries[count] = backwardStart;
      for (int unit = 1; unit < count; unit++) {
        boundaries[unit] = forwardStart(lowest[count - 1 - unit]);
      }
      for (int unit = 1; unit < count; unit++) {
        boundaries[unit] =
            Math.max(boundaries[unit - 1], Math.min(boundaries[unit], backwardStart));
      }
      return boundaries;
    }

    private static int intervalOf(long[] boundaries, long time) {
      for (int i = boundaries.length - 2; i > 0; i--) {
        if (time >= boundaries[i]) {
          return i;
        }
      }
      return 0;
    }

    private long forwardStart(long sequence) {
      long earliest = Long.MAX_VALUE;
      for (int row = 0; row < slices.size(); row++) {
        long start = slices.startNanos(row);
        if (start >= stepStart && start < backwardStart && sequenceOf(row) == sequence) {
          earliest = Math.min(earliest, start);
        }
      }
      return earliest == Long.MAX_VALUE ? stepStart : earliest;
    }

    private long sequenceOf(int row) {
      int detail = slices.operatorDetail(row);
      return detail == Slices.NONE ? -1 : slices.operators().sequenceNumber(detail);
    }

    private long hostNanos(long from, long to) {
      long recorded = 0;
      long blocked = 0;
      for (int row = 0; row < slices.size(); row++) {
        long start = slices.startNanos(row);
        if (start < from || start >= to || !isRecordedCall(row)) {
          continue;
        }
        recorded++;
        if (slices.category(row).isApiCall() && slices.durationNanos(row) > BLOCKED_LAUNCH_NANOS) {
          blocked += Math.min(slices.endNanos(row), to) - start - FREE_LAUNCH_NANOS;
        }
      }
      return Math.max(0, to - from - recorded * RECORDING_NANOS_PER_EVENT - blocked);
    }

    private long deviceNanos(long from, long to) {
      long nanos = 0;
      for (int row : slices.deviceRows()) {
        int launch = index.launches().launchOf(row);
        if (launch != Slices.NONE
            && slices.startNanos(launch) >= from
            && slices.startNanos(launch) < to) {
          nanos += slices.durationNanos(row) + GAP_NANOS;
        }
      }
      return nanos;
    }
  }

  /// A stretch of a sequence that repeats.
  ///
  /// @param first where the repetition begins
  /// @param period length of one
  /// @param times how often
  record Repetition(int first, int period, int times) {
    /// The shortest period whose repetition covers nearly as much as any does; the whole sequence
    /// once where nothing repeats.
    static Repetition of(long[] sequence) {
      Repetition best = new Repetition(0, sequence.length, 1);
      int mostCovered = 0;
      for (int period = 1; period <= sequence.length / 2; period++) {
        Repetition longest = longest(sequence, period);
        int covered = longest.times() < 2 ? 0 : longest.times() * period;
        if (covered > mostCovered * 1.05 && !isConstant(sequence, longest)) {
          mostCovered = covered;
          best = longest;
        }
      }
      return best;
    }

    private static boolean isConstant(long[] sequence, Repetition repetition) {
      for (int i = 1; i < repetition.period(); i++) {
        if (sequence[repetition.first() + i] != sequence[repetition.first()]) {
          return false;
        }
      }
      return repetition.period() > 1 || repetition.times() < 4;
    }

    private static Repetition longest(long[] sequence, int period) {
      int bestFirst = 0;
      int bestTimes = 1;
      int runStart = 0;
      for (int i = period; i <= sequence.length; i++) {
        if (i == sequence.length || sequence[i] != sequence[i - period]) {
          int times = (i - runStart) / period;
          if (times > bestTimes) {
            bestTimes = times;
            bestFirst = runStart;
          }
          runStart = i - period + 1;
        }
      }
      return new Repetition(bestFirst, period, bestTimes);
    }
  }
}
