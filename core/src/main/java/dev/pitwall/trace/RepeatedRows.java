package dev.pitwall.trace;

import java.util.Arrays;

/// Events that a file holds twice: rows of one track that begin and end together, with the same
/// name and the same number, which a recorder gives to one call, operator or frame only. Counted
/// twice, they would double the time of a kernel.
final class RepeatedRows {
  /// How many of the rows before it that began and ended together with it a row is compared with: a
  /// damaged file may give a million rows one time.
  private static final int FARTHEST = 16;

  private static final int LONGEST_NAME = 40;

  private final TraceBuilder rows;
  private final IntColumn copies = new IntColumn();
  private final IntColumn originals = new IntColumn();

  private RepeatedRows(TraceBuilder rows) {
    this.rows = rows;
  }

  /// @param rows the rows before sorting
  /// @param order of the rows, sorted; those that begin together stand together
  static RepeatedRows among(TraceBuilder rows, int[] order) {
    RepeatedRows repeated = new RepeatedRows(rows);
    long before = Long.MIN_VALUE;
    for (int at = 0; at < order.length; at++) {
      long start = rows.startNanos(order[at]);
      if (start == before) {
        repeated.compare(order, at);
      }
      before = start;
    }
    return repeated;
  }

  private void compare(int[] order, int at) {
    int row = order[at];
    for (int other = at - 1; other >= Math.max(0, at - FARTHEST); other--) {
      int original = order[other];
      if (rows.startNanos(original) != rows.startNanos(row)
          || rows.durationNanos.get(original) != rows.durationNanos.get(row)
          || rows.track(original) != rows.track(row)) {
        return;
      }
      if (isSame(original, row)) {
        copies.add(row);
        originals.add(original);
        return;
      }
    }
  }

  private boolean isSame(int one, int other) {
    if (rows.nameId(one) != rows.nameId(other)
        || rows.category.get(one) != rows.category.get(other)
        || rows.correlation(one) != rows.correlation(other)
        || rows.externalId.get(one) != rows.externalId.get(other)) {
      return false;
    }
    Category kind = Category.of(rows.category.get(one));
    int detail = rows.detail.get(one);
    int otherDetail = rows.detail.get(other);
    boolean detailed = detail != Slices.NONE && otherDetail != Slices.NONE;
    if (kind.isDeviceWork()) {
      return rows.correlation(one) != Slices.NONE
          && (!detailed
              || rows.deviceWork.graphNode(detail) == rows.deviceWork.graphNode(otherDetail));
    }
    if (kind == Category.PYTHON_FUNCTION) {
      return detailed
          && rows.python.id(detail) >= 0
          && rows.python.id(detail) == rows.python.id(otherDetail);
    }
    return kind.isApiCall()
        ? rows.correlation(one) != Slices.NONE
        : (kind == Category.CPU_OP || kind == Category.USER_ANNOTATION)
            && rows.externalId.get(one) > 0;
  }

  int count() {
    return copies.size();
  }

  /// The order without the copies.
  int[] leftOutOf(int[] order) {
    if (count() == 0) {
      return order;
    }
    boolean[] isCopy = new boolean[order.length];
    for (int copy = 0; copy < count(); copy++) {
      isCopy[copies.get(copy)] = true;
    }
    return Arrays.stream(order).filter(row -> !isCopy[row]).toArray();
  }

  /// Gives each copy the new row of what it repeats, and takes it out of its track's count.
  ///
  /// @param newRow by row, where it comes in the order without the copies
  /// @param rowsOfTrack by track plus one, how many rows it has
  void leave(int[] newRow, int[] rowsOfTrack) {
    // In the sorted order, so that what a copy of a copy repeats has its place.
    for (int copy = 0; copy < count(); copy++) {
      newRow[copies.get(copy)] = newRow[originals.get(copy)];
      rowsOfTrack[rows.track(copies.get(copy)) + 1]--;
    }
  }

  /// The first of them by name, as a sentence.
  String text() {
    String name = rows.names().text(rows.nameId(copies.get(0)));
    boolean isLong = name.codePointCount(0, name.length()) > LONGEST_NAME;
    String shown =
        isLong ? name.substring(0, name.offsetByCodePoints(0, LONGEST_NAME)) + "..." : name;
    return "The file holds events twice, with the same time, thread and number (the first is "
        + shown
        + "); the copies of operators, calls and device work were left out.";
  }
}
