package dev.pitwall.observe;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// A CPU operator by name, over all steps.
///
/// @param calls how often it ran
/// @param hostNanos its CPU time, children included
/// @param selfNanos its CPU time without its children
/// @param deviceNanos durations of the device work it launched itself
/// @param kernels how many device rows that were
public record OperatorStatistics(
    String name, int calls, long hostNanos, long selfNanos, long deviceNanos, int kernels) {
  /// The table, by device time, then CPU self time.
  static List<OperatorStatistics> of(TraceIndex index) {
    Trace trace = index.trace();
    Slices slices = trace.slices();
    int size = trace.names().size();
    int[] calls = new int[size];
    long[] host = new long[size];
    long[] self = new long[size];
    long[] device = new long[size];
    int[] kernels = new int[size];
    boolean steps = index.steps().count() > 0;
    for (int row : slices.rows(Category.CPU_OP)) {
      if (!steps || index.stepOf(row) >= 0) {
        int name = slices.nameId(row);
        calls[name]++;
        self[name] += index.calls().selfNanos(row);
        int parent = index.calls().parent(row);
        boolean recursive = parent != Slices.NONE && slices.nameId(parent) == name;
        host[name] += recursive ? 0 : slices.durationNanos(row);
      }
    }
    for (int row : slices.deviceRows()) {
      int operator = !steps || index.stepOf(row) >= 0 ? index.operatorOf(row) : Slices.NONE;
      if (operator != Slices.NONE) {
        int name = slices.nameId(operator);
        device[name] += slices.durationNanos(row);
        kernels[name]++;
      }
    }
    List<OperatorStatistics> table = new ArrayList<>();
    for (int name = 0; name < size; name++) {
      if (calls[name] > 0) {
        table.add(
            new OperatorStatistics(
                trace.names().text(name),
                calls[name],
                host[name],
                self[name],
                device[name],
                kernels[name]));
      }
    }
    table.sort(
        Comparator.comparingLong(OperatorStatistics::deviceNanos)
            .thenComparingLong(OperatorStatistics::selfNanos)
            .reversed()
            .thenComparing(OperatorStatistics::name));
    return List.copyOf(table);
  }
}
