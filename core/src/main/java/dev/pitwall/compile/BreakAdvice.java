package dev.pitwall.compile;

import dev.pitwall.table.DataTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// What to do about a kind of graph break, from `break_advice.csv`.
///
/// @param key short name of the kind, such as `branch`
/// @param breakIds PyTorch's ids of it
/// @param reasons texts that PyTorch's reason contains
public record BreakAdvice(
    String key,
    List<String> breakIds,
    List<String> reasons,
    String explanation,
    String fix,
    String code) {
  private static final List<BreakAdvice> ALL = load();

  /// Stands for a kind that the table does not know.
  private static final BreakAdvice UNKNOWN =
      new BreakAdvice(
          "other",
          List.of(),
          List.of(),
          "Dynamo cannot trace this, so the graph ends here and Python runs it.",
          "Move it out of the compiled function, or follow PyTorch's own hint.",
          "");

  public BreakAdvice {
    breakIds = List.copyOf(breakIds);
    reasons = List.copyOf(reasons);
  }

  /// The advice for a break, by its id first and its reason else.
  public static BreakAdvice of(String breakId, String reason) {
    for (BreakAdvice advice : ALL) {
      if (!breakId.isEmpty() && advice.breakIds.contains(breakId)) {
        return advice;
      }
    }
    String lower = reason.toLowerCase(Locale.ROOT);
    for (BreakAdvice advice : ALL) {
      for (String text : advice.reasons) {
        if (lower.contains(text.toLowerCase(Locale.ROOT))) {
          return advice;
        }
      }
    }
    return UNKNOWN;
  }

  /// The advice of this short name.
  public static BreakAdvice named(String key) {
    return ALL.stream().filter(advice -> advice.key.equals(key)).findFirst().orElse(UNKNOWN);
  }

  private static List<BreakAdvice> load() {
    DataTable table = DataTable.resource("/dev/pitwall/compile/break_advice.csv");
    List<BreakAdvice> all = new ArrayList<>();
    for (int row = 0; row < table.rows(); row++) {
      all.add(
          new BreakAdvice(
              table.text(row, "key"),
              list(table.text(row, "break_ids")),
              list(table.text(row, "reason_contains")),
              table.text(row, "explanation"),
              table.text(row, "fix"),
              table.text(row, "code")));
    }
    return List.copyOf(all);
  }

  private static List<String> list(String cell) {
    return cell.isEmpty() ? List.of() : Arrays.asList(cell.split("\\|"));
  }
}
