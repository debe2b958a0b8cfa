package dev.pitwall.report.section;

import dev.pitwall.observe.OperatorStatistics;
import dev.pitwall.report.section.Section.Table;
import dev.pitwall.trace.chakra.ExecutionTrace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// What an execution trace says, with the times of a trace of the same run where one was given.
public final class ExecutionTraceSection {
  private static final int ROWS = 15;

  private ExecutionTraceSection() {}

  /// @param timed operators of a trace of the same run, empty where none was given
  public static Section of(String path, ExecutionTrace trace, List<OperatorStatistics> timed) {
    Map<String, OperatorStatistics> byName = new HashMap<>();
    timed.forEach(operator -> byName.put(operator.name(), operator));
    int operators = 0;
    int found = 0;
    List<List<String>> rows = new ArrayList<>();
    List<Map.Entry<String, Integer>> counts = new ArrayList<>(trace.operatorCounts().entrySet());
    counts.sort(Map.Entry.<String, Integer>comparingByValue().reversed());
    for (Map.Entry<String, Integer> count : counts) {
      OperatorStatistics twin = byName.get(count.getKey());
      operators += count.getValue();
      found += twin == null ? 0 : Math.min(count.getValue(), twin.calls());
      if (rows.size() < ROWS) {
        rows.add(
            List.of(
                count.getKey(),
                Integer.toString(count.getValue()),
                twin == null ? "" : Integer.toString(twin.calls()),
                twin == null ? "" : String.format(Locale.ROOT, "%.3f", twin.deviceNanos() / 1e6)));
      }
    }
    String sentence =
        timed.isEmpty()
            ? operators
                + " operators are in the execution trace, which has no times; give the"
                + " torch.profiler trace of the same run beside it to have them."
            : found
                + " of "
                + operators
                + " operators of the execution trace are in the torch.profiler trace beside it, by"
                + " name.";
    return new Section(
        "execution-trace",
        "Execution trace, schema " + trace.schema() + " (" + path + ")",
        sentence,
        List.of(
            new Table(
                "Operators",
                List.of("Operator", "Here", "In the trace", "GPU ms in the trace"),
                rows)),
        List.of());
  }
}
