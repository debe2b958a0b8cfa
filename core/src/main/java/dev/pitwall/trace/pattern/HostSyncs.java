package dev.pitwall.trace.pattern;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import java.util.EnumSet;
import java.util.Set;

/// Calls inside a step in which the host waits for the device.
///
/// ```
/// CPU  |launch|launch|  .item() -> cudaStreamSynchronize ........|launch|
/// GPU  |kernel  |kernel          |kernel                     |  idle   |kernel
/// ```
public final class HostSyncs {
  private static final Set<ApiCallKind> WAITING =
      EnumSet.of(
          ApiCallKind.SYNCHRONIZE_DEVICE,
          ApiCallKind.SYNCHRONIZE_STREAM,
          ApiCallKind.SYNCHRONIZE_EVENT,
          ApiCallKind.COPY_SYNC,
          ApiCallKind.SET_SYNC);

  private static final Set<ApiCallKind> WAITING_OR_COPYING = EnumSet.copyOf(WAITING);

  static {
    WAITING_OR_COPYING.add(ApiCallKind.COPY_ASYNC);
  }

  private HostSyncs() {}

  /// Rows of the waiting calls, by track and start. A wait of the recorder itself (it synchronizes
  /// when a window ends) lies outside every step and is not among them, nor is the wait at the end
  /// of a copy from pageable host memory, which [PageableCopies] finds.
  ///
  /// An asynchronous download to pageable memory waits like a synchronous one. Where a call that
  /// waits follows at once, as in `.item()`, that call stands for both.
  public static int[] find(TraceIndex index) {
    ApiCalls calls = new ApiCalls(index.trace());
    RowList rows = new RowList();
    for (int row : ApiCalls.insideSteps(index, WAITING_OR_COPYING)) {
      boolean waits =
          calls.kind(row) == ApiCallKind.COPY_ASYNC
              ? isPageableDownload(index, row) && !isFollowedByWait(index, calls, row)
              : !waitsForPageableUpload(index, row);
      if (waits) {
        rows.add(row);
      }
    }
    return rows.toArray();
  }

  private static boolean isPageableDownload(TraceIndex index, int call) {
    int copy = index.launches().firstDeviceRow(call);
    return copy != Slices.NONE
        && index.trace().name(copy).contains("Device -> Pageable")
        && index.trace().slices().endNanos(copy) <= index.trace().slices().endNanos(call);
  }

  private static boolean isFollowedByWait(TraceIndex index, ApiCalls calls, int call) {
    Slices slices = index.trace().slices();
    int end = index.trace().endRow(slices.track(call));
    for (int row = call + 1; row < end; row++) {
      if (slices.category(row).isApiCall() && slices.startNanos(row) >= slices.endNanos(call)) {
        return WAITING.contains(calls.kind(row));
      }
    }
    return false;
  }

  private static boolean waitsForPageableUpload(TraceIndex index, int row) {
    Slices slices = index.trace().slices();
    int operator = index.operatorOf(row);
    if (operator == Slices.NONE) {
      return false;
    }
    RowList launched = new RowList();
    LaunchedWork.collect(index, operator, launched);
    for (int device : launched.toArray()) {
      if (slices.category(device) == Category.MEMCPY
          && PageableCopies.isUpload(index.trace().name(device))) {
        return true;
      }
    }
    return false;
  }
}
