package dev.pitwall.observe;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/// A named part of the program, over all steps: a user annotation, or an `nn.Module` where stacks
/// were recorded. Its device work is what was launched while it ran on its thread; backward runs on
/// another thread and is not in a module's share.
///
/// @param module whether it is an `nn.Module`
/// @param hostNanos its CPU time
/// @param deviceNanos durations of the device work launched from within
public record RangeStatistics(
    String name, boolean module, int calls, long hostNanos, long deviceNanos, int kernels) {
  private static final String MODULE = "nn.Module: ";

  /// The table, by device time, then CPU time.
  static List<RangeStatistics> of(TraceIndex index) {
    Trace trace = index.trace();
    Slices slices = trace.slices();
    int size = trace.names().size();
    boolean[] isModule = new boolean[size];
    for (int id = 0; id < size; id++) {
      isModule[id] = trace.names().text(id).startsWith(MODULE);
    }
    int[] calls = new int[size];
    long[] host = new long[size];
    long[] device = new long[size];
    int[] kernels = new int[size];
    int[] lastChain = new int[size];
    Arrays.fill(lastChain, -1);
    boolean steps = index.steps().count() > 0;
    String stepName = index.steps().name();
    for (int row = 0; row < slices.size(); row++) {
      int name = slices.nameId(row);
      if (isRange(slices, row, isModule) && (!steps || index.stepOf(row) >= 0)) {
        calls[name]++;
        host[name] += slices.durationNanos(row);
      }
    }
    for (int row : slices.apiCallRows()) {
      int launched = index.launches().firstDeviceRow(row);
      if (launched == Slices.NONE || (steps && index.stepOf(row) < 0)) {
        continue;
      }
      long nanos = 0;
      int count = 0;
      for (; launched != Slices.NONE; launched = index.launches().nextDeviceRow(launched)) {
        nanos += slices.durationNanos(launched);
        count++;
      }
      for (int at = index.calls().parent(row); at != Slices.NONE; at = index.calls().parent(at)) {
        int range = slices.nameId(at);
        if (isRange(slices, at, isModule) && lastChain[range] != row) {
          lastChain[range] = row;
          device[range] += nanos;
          kernels[range] += count;
        }
      }
    }
    List<RangeStatistics> table = new ArrayList<>();
    for (int name = 0; name < size; name++) {
      String text = trace.names().text(name);
      boolean isStep = !stepName.isEmpty() && text.startsWith(stepName);
      if (calls[name] > 0 && !isStep) {
        table.add(
            new RangeStatistics(
                isModule[name] ? text.substring(MODULE.length()) : text,
                isModule[name],
                calls[name],
                host[name],
                device[name],
                kernels[name]));
      }
    }
    table.sort(
        Comparator.comparingLong(RangeStatistics::deviceNanos)
            .thenComparingLong(RangeStatistics::hostNanos)
            .reversed()
            .thenComparing(RangeStatistics::name));
    return List.copyOf(table);
  }

  private static boolean isRange(Slices slices, int row, boolean[] isModule) {
    Category category = slices.category(row);
    return category == Category.USER_ANNOTATION
        || (category == Category.PYTHON_FUNCTION && isModule[slices.nameId(row)]);
  }
}
