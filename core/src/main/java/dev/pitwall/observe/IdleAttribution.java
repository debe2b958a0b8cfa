package dev.pitwall.observe;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.AllocatorCalls;
import dev.pitwall.trace.pattern.HostSyncs;
import dev.pitwall.trace.pattern.InputWaits;
import dev.pitwall.trace.pattern.KernelClass;
import dev.pitwall.trace.pattern.KernelNames;
import dev.pitwall.trace.pattern.PageableCopies;
import java.util.Arrays;

/// Says why a device was idle, gap by gap in order of time.
///
/// If the next work was launched before the device fell idle, the cause lies on the device. Else
/// the host was late, and the question is what had held it up. Each thing that can hold it up
/// (waiting for the device, for a batch, for the driver's allocator, for a copy) is an account: a
/// delay of `d` on a thread that launches makes all later launches late by at most `d`, so it can
/// explain at most `d` of the idle time that follows, however the host's lead absorbs it. Gaps draw
/// on the latest delay first; what no account covers is the host's own work.
final class IdleAttribution {
  /// A gap that a timely launch ends within this time is the device's own pace from one kernel to
  /// the next; measured on H200 recordings such gaps are 1 to 3 us, with a tail to about 10.
  private static final long KERNEL_TO_KERNEL_NANOS = 20_000;

  private final TraceIndex index;
  private final KernelNames kernels;
  private final IdleGaps gaps;
  private final long[] delayEnd;
  private final long[] delayLeft;
  private final IdleCause[] delayCause;

  /// Delays below here have ended before the launch in question.
  private int ended;

  /// Ended delays with something left, the latest on top.
  private final int[] stack;

  private int stackSize;

  IdleAttribution(TraceIndex index, KernelNames kernels, IdleGaps gaps) {
    this.index = index;
    this.kernels = kernels;
    this.gaps = gaps;
    Slices slices = index.trace().slices();
    boolean[] launches = launchingTracks(index);
    int[] syncs = HostSyncs.find(index);
    int[] inputs = InputWaits.find(index);
    int[] allocations = AllocatorCalls.find(index);
    int[] uploads = PageableCopies.findUploads(index);
    int[] rows = new int[syncs.length + inputs.length + allocations.length + uploads.length];
    IdleCause[] causes = new IdleCause[rows.length];
    int size = 0;
    for (int row : syncs) {
      size = add(rows, causes, size, row, IdleCause.HOST_SYNC, launches);
    }
    for (int row : inputs) {
      size = add(rows, causes, size, row, IdleCause.INPUT, launches);
    }
    for (int row : allocations) {
      size = add(rows, causes, size, row, IdleCause.ALLOCATOR, launches);
    }
    for (int row : uploads) {
      int call = index.launches().launchOf(row);
      size = add(rows, causes, size, call, IdleCause.PAGEABLE_COPY, launches);
    }
    Integer[] order = new Integer[size];
    Arrays.setAll(order, i -> i);
    Arrays.sort(order, (a, b) -> Long.compare(slices.endNanos(rows[a]), slices.endNanos(rows[b])));
    delayEnd = new long[size];
    delayLeft = new long[size];
    delayCause = new IdleCause[size];
    stack = new int[size];
    for (int i = 0; i < size; i++) {
      int from = order[i];
      delayEnd[i] = slices.endNanos(rows[from]);
      delayLeft[i] = slices.durationNanos(rows[from]);
      delayCause[i] = causes[from];
    }
  }

  private int add(
      int[] rows, IdleCause[] causes, int size, int row, IdleCause cause, boolean[] launches) {
    Slices slices = index.trace().slices();
    int parent = index.calls().parent(row);
    boolean nestedCall =
        slices.category(row).isApiCall()
            && parent != Slices.NONE
            && slices.category(parent).isApiCall();
    if (nestedCall || !launches[slices.track(row)]) {
      return size;
    }
    rows[size] = row;
    causes[size] = cause;
    return size + 1;
  }

  private static boolean[] launchingTracks(TraceIndex index) {
    Slices slices = index.trace().slices();
    boolean[] launches = new boolean[index.trace().tracks().size()];
    for (int row : slices.rows(Category.KERNEL)) {
      int call = index.launches().launchOf(row);
      if (call != Slices.NONE) {
        launches[slices.track(call)] = true;
      }
    }
    return launches;
  }

  /// Enters the idle time from `start` to `end` under its causes. `previous` and `next` are the
  /// device rows around it, [Slices#NONE] at the ends of the recording.
  void attribute(long start, long end, int window, int previous, int next) {
    Slices slices = index.trace().slices();
    if (next == Slices.NONE) {
      gaps.add(start, end - start, next, window, IdleCause.HOST);
      return;
    }
    int call = index.launches().launchOf(next);
    if (call == Slices.NONE) {
      gaps.add(start, end - start, next, window, IdleCause.UNEXPLAINED);
    } else if (slices.endNanos(call) > start && !sameLaunch(previous, call)) {
      hostWasLate(start, end, window, next, slices.startNanos(call));
    } else if (isCollective(next) || isCollective(previous)) {
      gaps.add(start, end - start, next, window, IdleCause.COMMUNICATION);
    } else if (end - start <= KERNEL_TO_KERNEL_NANOS || sameLaunch(previous, call)) {
      gaps.add(start, end - start, next, window, IdleCause.KERNEL);
    } else {
      gaps.add(start, end - start, next, window, IdleCause.UNEXPLAINED);
    }
  }

  private void hostWasLate(long start, long end, int window, int next, long launchStart) {
    while (ended < delayEnd.length && delayEnd[ended] <= launchStart) {
      stack[stackSize++] = ended++;
    }
    long at = start;
    while (stackSize > 0 && at < end) {
      int delay = stack[stackSize - 1];
      long charged = Math.min(delayLeft[delay], end - at);
      gaps.add(at, charged, next, window, delayCause[delay]);
      delayLeft[delay] -= charged;
      at += charged;
      if (delayLeft[delay] == 0) {
        stackSize--;
      }
    }
    gaps.add(at, end - at, next, window, IdleCause.HOST);
  }

  private boolean sameLaunch(int previous, int call) {
    return previous != Slices.NONE && index.launches().launchOf(previous) == call;
  }

  private boolean isCollective(int row) {
    Slices slices = index.trace().slices();
    return row != Slices.NONE
        && slices.category(row) == Category.KERNEL
        && kernels.classOf(slices.nameId(row)) == KernelClass.COMMUNICATION;
  }
}
