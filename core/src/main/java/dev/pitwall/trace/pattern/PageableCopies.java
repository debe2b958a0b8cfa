package dev.pitwall.trace.pattern;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;

/// Copies between the device and pageable host memory, launched inside a step. Such a copy goes
/// through a staging buffer and blocks the host whatever `non_blocking` says.
public final class PageableCopies {
  private PageableCopies() {}

  /// Rows of uploads (host to device) from pageable memory. Downloads are the business of
  /// [HostSyncs]: their cost is the wait, not the copy.
  public static int[] findUploads(TraceIndex index) {
    Trace trace = index.trace();
    RowList rows = new RowList();
    for (int row : trace.slices().rows(Category.MEMCPY)) {
      if (isUpload(trace.name(row)) && index.stepOf(row) >= 0) {
        rows.add(row);
      }
    }
    return rows.toArray();
  }

  static boolean isUpload(String copyName) {
    return copyName.contains("Pageable ->");
  }
}
