package dev.pitwall.trace.compilelog;

import java.util.List;

/// One reason why tracing stopped inside a frame (`dynamo_graph_break_reason`).
///
/// @param reason the line that names the kind, such as `Data-dependent branching`
/// @param breakId PyTorch's id such as `GB0124`, or empty where the version writes none
/// @param explanation PyTorch's own explanation, or empty
/// @param hints PyTorch's own hints
/// @param context the developer's context line, such as `call_method TensorVariable() item () {}`
/// @param file file of the line that broke
/// @param line line that broke
/// @param stack the user's frames, outermost first, without PyTorch's own
/// @param skipsFrame whether the whole frame fell back to eager, so that no graph exists for it
/// @param attempt restart of the compilation it happened in
public record GraphBreak(
    String reason,
    String breakId,
    String explanation,
    List<String> hints,
    String context,
    String file,
    int line,
    List<SourceLine> stack,
    boolean skipsFrame,
    int attempt) {
  public GraphBreak {
    hints = List.copyOf(hints);
    stack = List.copyOf(stack);
  }

  /// The text of the line that broke, empty where the log does not have it.
  public String code() {
    for (int i = stack.size() - 1; i >= 0; i--) {
      SourceLine frame = stack.get(i);
      if (frame.line() == line && frame.file().equals(file)) {
        return frame.code();
      }
    }
    return "";
  }
}
