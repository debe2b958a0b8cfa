package dev.pitwall.compile.lint;

import dev.pitwall.trace.python.SourceFile;
import dev.pitwall.trace.python.Syntax;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A function, method or lambda of the project.
///
/// @param owner the class it belongs to, or empty
final class Definition {
  private static final int MOST_DECORATOR = 200;

  private static final Pattern DISABLE =
      Pattern.compile("@torch\\.(compiler|_dynamo)\\.disable[^\\n]*\\n\\s*(async\\s+)?$");

  final SourceFile file;
  final Syntax node;
  final String name;
  final String owner;
  private @Nullable Boolean disabled;

  Definition(SourceFile file, Syntax node, String owner) {
    this.file = file;
    this.node = node;
    this.name = node.child("name").map(Syntax::text).orElse("lambda");
    this.owner = owner;
  }

  /// Names of the parameters in order, `self` included.
  List<String> parameters() {
    List<String> names = new ArrayList<>();
    node.child("parameters")
        .ifPresent(
            list ->
                list.children().stream()
                    .map(Definition::parameterName)
                    .filter(name -> !name.isEmpty())
                    .forEach(names::add));
    return names;
  }

  private static String parameterName(Syntax parameter) {
    return switch (parameter.kind()) {
      case "identifier" -> parameter.text();
      case "default_parameter", "typed_default_parameter" ->
          parameter.child("name").map(Syntax::text).orElse("");
      case "typed_parameter" ->
          parameter.children().isEmpty() ? "" : parameter.children().getFirst().text();
      default -> "";
    };
  }

  /// Whether the compiler is told to leave the function alone, by a decorator on the line before
  /// it. Found in the text, once: a function may be called thousands of times.
  boolean isDisabled() {
    Boolean known = disabled;
    if (known == null) {
      String before = file.text().substring(0, node.from());
      int start = Math.max(0, before.length() - MOST_DECORATOR);
      known = DISABLE.matcher(before.substring(start)).find();
      disabled = known;
    }
    return known;
  }

  Syntax body() {
    return node.child("body").orElse(node);
  }
}
