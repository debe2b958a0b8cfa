package dev.pitwall.compile.lint;

import dev.pitwall.compile.BreakAdvice;
import dev.pitwall.table.DataTable;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// One rule, from `lint_rules.csv`.
///
/// @param level `error` for a graph break, `warning` for a wait or a recompile, `note` for advice
/// @param breakId PyTorch's id of the break, or empty
/// @param scope `compiled`, `loop` or `anywhere`
/// @param match what kind of syntax it looks at
/// @param pattern what that must be called, as a whole
/// @param breaksUntil last version known to break, empty where all do
/// @param fineFrom first version known not to, empty where none
public record LintRule(
    String name,
    String level,
    String breakId,
    String scope,
    String match,
    Pattern pattern,
    String breaksUntil,
    String fineFrom,
    String message,
    String fix,
    String code) {
  private static final List<LintRule> ALL = load();

  public static List<LintRule> all() {
    return ALL;
  }

  /// Whether the rule holds for a version. Between the last version known to break and the first
  /// known not to it is not certain, so nothing is reported.
  boolean appliesTo(TorchRelease version) {
    return breaksUntil.isEmpty() || version.isAtMost(TorchRelease.parse(breaksUntil));
  }

  private static List<LintRule> load() {
    DataTable table = DataTable.resource("/dev/pitwall/compile/lint_rules.csv");
    List<LintRule> rules = new ArrayList<>();
    for (int row = 0; row < table.rows(); row++) {
      BreakAdvice advice = BreakAdvice.named(table.text(row, "advice"));
      String fix = table.text(row, "fix");
      String code = table.text(row, "code");
      boolean hasAdvice = !table.text(row, "advice").isEmpty();
      rules.add(
          new LintRule(
              table.text(row, "rule"),
              table.text(row, "level"),
              table.text(row, "break_id"),
              table.text(row, "scope"),
              table.text(row, "match"),
              Pattern.compile(table.text(row, "pattern")),
              table.text(row, "breaks_until"),
              table.text(row, "fine_from"),
              table.text(row, "message"),
              fix.isEmpty() && hasAdvice ? advice.fix() : fix,
              code.isEmpty() && hasAdvice && fix.isEmpty() ? advice.code() : code));
    }
    return List.copyOf(rules);
  }
}
