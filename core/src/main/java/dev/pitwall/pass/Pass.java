package dev.pitwall.pass;

import dev.pitwall.graph.ExecutionGraph;
import java.util.List;
import java.util.Optional;

/// A change of the program (a fix, a compile mode, another batch) as a change of its graph.
///
/// A pass is stateless and pure: it never changes the graph it is given. It finds what to change by
/// the trace row of a node, so passes can be applied one after the other; a node without a row was
/// made by an earlier pass.
///
/// ```
///   obstacle(context, "") ── empty ──▶ apply(context, graph, "") ──▶ changed graph
///            └─ a sentence: shown to the user as `not_applicable`
/// ```
public interface Pass {
  /// The contract id, such as `host-sync`; what `--fix` takes.
  String id();

  /// Other ids the same pass answers to, such as that of the finding it fixes.
  default List<String> otherIds() {
    return List.of();
  }

  /// What it changes in the program, in one sentence for the user.
  String summary();

  /// How its argument is written, such as `N` or `on|off`; empty where it takes none.
  default String argumentForm() {
    return "";
  }

  /// The arguments worth trying on this trace when nobody names one; `""` stands for no argument.
  /// Empty where only the user can know (another batch).
  default List<String> candidateArguments(PassContext context) {
    return argumentForm().isEmpty() ? List.of("") : List.of();
  }

  /// Why the pass does not apply to this trace, as a sentence; empty where it applies.
  ///
  /// @param argument what the user wrote after `=`, empty where nothing
  Optional<String> obstacle(PassContext context, String argument);

  /// The argument that is used where the user wrote this one, so that answers can name it.
  default String usedArgument(String argument) {
    return argument;
  }

  /// Samples or tokens of a step after the change over those before; 1 where the step does the same
  /// work. Called only where [#obstacle] is empty.
  default double workRatio(PassContext context, String argument) {
    return 1;
  }

  /// The graph of the program after the change. Called only where [#obstacle] is empty.
  ExecutionGraph apply(PassContext context, ExecutionGraph graph, String argument);
}
