package dev.pitwall.pass.compile;

import dev.pitwall.table.DataTable;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What is known of each ATen operator, from `fusion_operators.csv`.
final class FusionOperators {
  /// One row of the table.
  ///
  /// @param specialFunctions exponentials and the like an element
  record Entry(OperatorKind kind, int specialFunctions) {}

  private static final Map<String, Entry> TABLE = read();

  private FusionOperators() {}

  static @Nullable Entry of(String operator) {
    return TABLE.get(operator);
  }

  private static Map<String, Entry> read() {
    DataTable table = DataTable.resource("/dev/pitwall/pass/compile/fusion_operators.csv");
    Map<String, Entry> entries = new HashMap<>();
    for (int row = 0; row < table.rows(); row++) {
      entries.put(
          table.text(row, "operator"),
          new Entry(
              OperatorKind.valueOf(table.text(row, "kind").toUpperCase(Locale.ROOT)),
              (int) table.number(row, "special_functions", 0)));
    }
    return Map.copyOf(entries);
  }
}
