package dev.pitwall.trace.pattern;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.Track;
import java.util.HashMap;
import java.util.Map;

/// Which calls of a training step are the optimizer's own work: those inside PyTorch's annotations
/// `Optimizer.step#…` and `Optimizer.zero_grad#…`, but for a closure.
///
/// PyTorch Lightning passes a closure always, LBFGS needs one: forward and backward then run inside
/// the annotation, and what is the optimizer's begins when the last backward node in it has ended.
///
/// ```
/// main      | Optimizer.step#AdamW.step                                |
///           |   forward operators    |  waits       |  own part         |
/// autograd                           | backward ... |
/// ```
public final class OptimizerPart {
  static final String STEP = "Optimizer.step#";

  private static final String ANY = "Optimizer.";
  private static final String BACKWARD = "autograd::engine::evaluate_function";

  private final TraceIndex index;
  private final boolean[] isAnnotation;

  /// By annotation with a closure in it, where the closure ends.
  private final Map<Integer, Long> closureEndNanos = new HashMap<>();

  private OptimizerPart(TraceIndex index, boolean[] isAnnotation) {
    this.index = index;
    this.isAnnotation = isAnnotation;
  }

  /// Of the annotations inside training steps.
  public static OptimizerPart of(TraceIndex index) {
    Trace trace = index.trace();
    boolean[] isStep = startingWith(trace, STEP);
    boolean[] isBackward = startingWith(trace, BACKWARD);
    OptimizerPart part = new OptimizerPart(index, startingWith(trace, ANY));
    for (int row : trace.slices().rows(Category.USER_ANNOTATION)) {
      if (isStep[trace.slices().nameId(row)] && index.stepOf(row) >= 0) {
        part.findClosure(row, isBackward);
      }
    }
    return part;
  }

  private void findClosure(int annotation, boolean[] isBackward) {
    Trace trace = index.trace();
    Slices slices = trace.slices();
    long start = slices.startNanos(annotation);
    long end = slices.endNanos(annotation);
    String process = trace.tracks().get(slices.track(annotation)).process();
    for (Track track : trace.tracks()) {
      int stop = track.process().equals(process) ? trace.firstRowFrom(track.id(), end) : 0;
      for (int row = trace.firstRowFrom(track.id(), start); row < stop; row++) {
        if (isBackward[slices.nameId(row)]
            && slices.endNanos(row) <= end
            && (track.id() == slices.track(annotation) || standsStill(annotation, row))) {
          closureEndNanos.merge(annotation, slices.endNanos(row), Math::max);
        }
      }
    }
  }

  /// Whether the annotation's thread begins nothing while this node runs on another: it waits for
  /// it, as it does in a closure.
  private boolean standsStill(int annotation, int node) {
    Trace trace = index.trace();
    Slices slices = trace.slices();
    int track = slices.track(annotation);
    int next = trace.firstRowFrom(track, slices.startNanos(node));
    return next == trace.endRow(track) || slices.startNanos(next) >= slices.endNanos(node);
  }

  /// Whether this call is the optimizer's own, or made inside one that is.
  public boolean contains(int row) {
    Slices slices = index.trace().slices();
    for (int at = row; at != Slices.NONE; at = index.calls().parent(at)) {
      if (isAnnotation[slices.nameId(at)] && slices.startNanos(row) >= ownStartNanos(at)) {
        return true;
      }
    }
    return false;
  }

  /// The first row of the annotation's thread that is its own; where a closure is all of it, the
  /// first behind the annotation.
  int firstOwnRow(int annotation) {
    Long closureEnd = closureEndNanos.get(annotation);
    return closureEnd == null
        ? annotation
        : Math.max(
            annotation + 1,
            index.trace().firstRowFrom(index.trace().slices().track(annotation), closureEnd));
  }

  private long ownStartNanos(int annotation) {
    return closureEndNanos.getOrDefault(annotation, index.trace().slices().startNanos(annotation));
  }

  private static boolean[] startingWith(Trace trace, String prefix) {
    boolean[] matches = new boolean[trace.names().size()];
    for (int id = 0; id < matches.length; id++) {
      matches[id] = trace.names().text(id).startsWith(prefix);
    }
    return matches;
  }
}
