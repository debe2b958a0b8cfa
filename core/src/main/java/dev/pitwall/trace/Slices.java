package dev.pitwall.trace;

import java.util.ArrayDeque;
import java.util.Arrays;

/// The slices of a trace as columns; a slice is a row number.
///
/// Rows are sorted by track, then start, then longest first, then the order of the file, so the
/// rows of one track are contiguous ([Trace#firstRow], [Trace#endRow]) and a parent stands before
/// its children. Times are nanoseconds since the trace's base. Detail that only some categories
/// have lies in side columns reached through these accessors; each says what it returns where there
/// is none.
public final class Slices {
  /// No correlation, external id, detail or other number.
  public static final int NONE = -1;

  final LongColumn startNanos;
  final LongColumn durationNanos;
  final IntColumn nameId;
  final ByteColumn category;
  final IntColumn categoryNameId;
  final IntColumn track;
  final IntColumn correlation;
  final IntColumn externalId;
  final IntColumn detail;
  final OperatorDetails operators;
  final DeviceWorkDetails deviceWork;
  final PythonDetails python;
  final SyncDetails syncs;

  private final int[][] rowsOfCategory;
  private final int[] deviceRows;
  private final int[] apiCallRows;

  /// Takes the builder's rows out of it, in this order.
  Slices(TraceBuilder builder, int[] order) {
    ArrayDeque<long[]> longs = new ArrayDeque<>();
    startNanos = builder.startNanos.moveTo(order, longs);
    durationNanos = builder.durationNanos.moveTo(order, longs);
    category = builder.category.reordered(order);
    ArrayDeque<int[]> ints = new ArrayDeque<>();
    nameId = builder.nameId.moveTo(order, ints);
    categoryNameId = builder.categoryNameId.moveTo(order, ints);
    track = builder.track.moveTo(order, ints);
    correlation = builder.correlation.moveTo(order, ints);
    externalId = builder.externalId.moveTo(order, ints);
    detail = builder.detail.moveTo(order, ints);
    operators = builder.operators;
    deviceWork = builder.deviceWork;
    python = builder.python;
    syncs = builder.syncs;
    int[] count = new int[Category.values().length];
    for (int row = 0; row < size(); row++) {
      count[category.get(row)]++;
    }
    rowsOfCategory = new int[count.length][];
    for (int kind = 0; kind < count.length; kind++) {
      rowsOfCategory[kind] = new int[count[kind]];
    }
    int[] filled = new int[count.length];
    for (int row = 0; row < size(); row++) {
      int kind = category.get(row);
      rowsOfCategory[kind][filled[kind]++] = row;
    }
    deviceRows = rows(Category.KERNEL, Category.MEMCPY, Category.MEMSET);
    apiCallRows = rows(Category.RUNTIME, Category.DRIVER);
  }

  private int[] rows(Category... kinds) {
    int[] rows = Arrays.stream(kinds).flatMapToInt(kind -> Arrays.stream(rows(kind))).toArray();
    Arrays.sort(rows);
    return rows;
  }

  public int size() {
    return nameId.size();
  }

  public long startNanos(int row) {
    return startNanos.get(row);
  }

  /// Never negative; a negative recorded duration is read as 0 and counted in the loss ledger.
  public long durationNanos(int row) {
    return durationNanos.get(row);
  }

  public long endNanos(int row) {
    return startNanos.get(row) + durationNanos.get(row);
  }

  /// Id in [Trace#names].
  public int nameId(int row) {
    return nameId.get(row);
  }

  public Category category(int row) {
    return Category.of(category.get(row));
  }

  /// The rows of a category, ascending; not to be written to.
  public int[] rows(Category kind) {
    return rowsOfCategory[kind.ordinal()];
  }

  /// The rows of kernels, copies and sets, ascending; not to be written to.
  public int[] deviceRows() {
    return deviceRows;
  }

  /// The rows of calls into the runtime and driver, ascending; not to be written to.
  public int[] apiCallRows() {
    return apiCallRows;
  }

  /// The recorder's own category word, an id in [Trace#names].
  public int categoryNameId(int row) {
    return categoryNameId.get(row);
  }

  /// Index of the track.
  public int track(int row) {
    return track.get(row);
  }

  /// The id that ties an API call to the device work it launched; many device rows may share one
  /// (CUDA graphs). [#NONE] where there is none.
  public int correlation(int row) {
    return correlation.get(row);
  }

  /// The id that ties an operator to its API calls and device work. [#NONE] where there is none.
  public int externalId(int row) {
    return externalId.get(row);
  }

  /// The operator columns of a CPU operator or annotation, or [#NONE]: a row of [#operators].
  public int operatorDetail(int row) {
    Category kind = category(row);
    return kind == Category.CPU_OP || kind == Category.USER_ANNOTATION ? detail.get(row) : NONE;
  }

  /// The device columns of a kernel, copy or set, or [#NONE]: a row of [#deviceWork].
  public int deviceWorkDetail(int row) {
    return category(row).isDeviceWork() ? detail.get(row) : NONE;
  }

  /// The Python columns of a frame, or [#NONE]: a row of [#python].
  public int pythonDetail(int row) {
    return category(row) == Category.PYTHON_FUNCTION ? detail.get(row) : NONE;
  }

  /// The columns of a recorded device synchronization, or [#NONE]: a row of [#syncs].
  public int syncDetail(int row) {
    return category(row) == Category.DEVICE_SYNC ? detail.get(row) : NONE;
  }

  public OperatorDetails operators() {
    return operators;
  }

  public DeviceWorkDetails deviceWork() {
    return deviceWork;
  }

  public PythonDetails python() {
    return python;
  }

  public SyncDetails syncs() {
    return syncs;
  }
}
