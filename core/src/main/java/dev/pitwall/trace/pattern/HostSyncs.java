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

  private HostSyncs() {}

  /// Rows of the waiting calls, by track and start. A wait of the recorder itself (it synchronizes
  /// when a window ends) lies outside every step and is not among them, nor is the wait at the end
  /// of a copy from pageable host memory, which [PageableCopies] finds.
  public static int[] find(TraceIndex index) {
    RowList rows = new RowList();
    for (int row : ApiCalls.insideSteps(index, WAITING)) {
      if (!waitsForPageableUpload(index, row)) {
        rows.add(row);
      }
    }
    return rows.toArray();
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
