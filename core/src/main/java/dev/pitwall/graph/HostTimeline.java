package dev.pitwall.graph;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import java.util.Arrays;

/// One CPU thread of a trace cut into pieces that lie end to end: API calls whole, everything else
/// at every beginning and end of a slice, so that a piece belongs to the innermost slice around it.
///
/// ```
///   slices   |op a      |op b   |launch|  |        |
///   pieces   |a |b      |b.......launch|b |a       |no row ...
/// ```
final class HostTimeline {
  private final Trace trace;
  private final Slices slices;
  private final long windowStartNanos;
  private final long windowEndNanos;

  private final LongList startNanos = new LongList();
  private final LongList endNanos = new LongList();
  private int[] row = new int[64];
  private boolean[] apiCall = new boolean[64];

  private int[] open = new int[64];
  private int depth;
  private long cursor;

  private HostTimeline(Trace trace, long windowStartNanos, long windowEndNanos) {
    this.trace = trace;
    this.slices = trace.slices();
    this.windowStartNanos = windowStartNanos;
    this.windowEndNanos = windowEndNanos;
    this.cursor = windowStartNanos;
  }

  /// Cuts the window of a thread. A call nested in another is part of the outer one.
  static HostTimeline of(Trace trace, int track, long fromNanos, long toNanos) {
    HostTimeline timeline = new HostTimeline(trace, fromNanos, toNanos);
    timeline.cut(track);
    return timeline;
  }

  private void cut(int track) {
    long callEnd = Long.MIN_VALUE;
    int end = trace.endRow(track);
    for (int slice = trace.firstRow(track); slice < end; slice++) {
      long start = slices.startNanos(slice);
      if (start >= windowEndNanos) {
        break;
      }
      if (slices.endNanos(slice) <= windowStartNanos || !isHostWork(slices.category(slice))) {
        continue;
      }
      if (start < callEnd) {
        continue;
      }
      closeUntil(start);
      long from = Math.max(start, windowStartNanos);
      emit(from, false);
      if (slices.category(slice).isApiCall()) {
        push(slice);
        callEnd = Math.min(slices.endNanos(slice), windowEndNanos);
        emit(Math.max(callEnd, from + 1), true);
        depth--;
      } else {
        push(slice);
      }
    }
    closeUntil(windowEndNanos);
    emit(windowEndNanos, false);
  }

  private static boolean isHostWork(Category category) {
    return category.isApiCall()
        || category == Category.CPU_OP
        || category == Category.USER_ANNOTATION
        || category == Category.PYTHON_FUNCTION;
  }

  private void push(int slice) {
    if (depth == open.length) {
      open = Arrays.copyOf(open, depth * 2);
    }
    open[depth++] = slice;
  }

  private void closeUntil(long time) {
    while (depth > 0 && slices.endNanos(open[depth - 1]) <= time) {
      emit(slices.endNanos(open[depth - 1]), false);
      depth--;
    }
  }

  private void emit(long until, boolean isApiCall) {
    if (until <= cursor) {
      return;
    }
    int piece = startNanos.size();
    if (piece == row.length) {
      row = Arrays.copyOf(row, piece * 2);
      apiCall = Arrays.copyOf(apiCall, piece * 2);
    }
    startNanos.add(cursor);
    endNanos.add(until);
    row[piece] = depth == 0 ? Slices.NONE : open[depth - 1];
    apiCall[piece] = isApiCall;
    cursor = until;
  }

  int size() {
    return startNanos.size();
  }

  long startNanos(int piece) {
    return startNanos.get(piece);
  }

  long endNanos(int piece) {
    return endNanos.get(piece);
  }

  /// The innermost slice of the piece, [Slices#NONE] outside all.
  int row(int piece) {
    return row[piece];
  }

  /// Whether the piece is an API call; else it is self time of its slice or time outside all
  /// slices.
  boolean isApiCall(int piece) {
    return apiCall[piece];
  }

  /// The piece at a moment of the window.
  int pieceAt(long time) {
    int low = 0;
    int high = size() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (startNanos.get(middle) <= time) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }
}
