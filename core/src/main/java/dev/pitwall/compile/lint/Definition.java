package dev.pitwall.compile.lint;

import dev.pitwall.trace.python.SourceFile;
import dev.pitwall.trace.python.Syntax;
import java.util.ArrayList;
import java.util.List;

/// A function, method or lambda of the project.
///
/// @param owner the class it belongs to, or empty
final class Definition {
  final SourceFile file;
  final Syntax node;
  final String name;
  final String owner;

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

  Syntax body() {
    return node.child("body").orElse(node);
  }
}
