package dev.pitwall.trace.python;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// A node of a Python syntax tree: the kinds and fields are those of the tree-sitter grammar.
///
/// @param kind such as `call`, `identifier`, `function_definition`; [#BROKEN] or [#MISSING] where
///     the source is no valid Python
/// @param field role in its parent, such as `function`, `arguments`, or empty
/// @param source text of the whole file, shared by all nodes
/// @param from where it begins in the source, in characters
/// @param to where it ends, exclusive
/// @param line from 1
/// @param column from 1
public record Syntax(
    String kind,
    String field,
    String source,
    int from,
    int to,
    int line,
    int column,
    List<Syntax> children) {
  /// Kind of source that does not parse.
  public static final String BROKEN = "ERROR";

  /// Kind of what had to stand here for the source to parse.
  public static final String MISSING = "MISSING";

  public Syntax {
    children = List.copyOf(children);
  }

  /// The source it spans; cut out on demand, for the nodes around it span the same text again.
  public String text() {
    return source.substring(from, to);
  }

  /// The first child in this role.
  public Optional<Syntax> child(String role) {
    for (Syntax child : children) {
      if (child.field.equals(role)) {
        return Optional.of(child);
      }
    }
    return Optional.empty();
  }

  public boolean is(String wanted) {
    return kind.equals(wanted);
  }

  /// This node and everything below it, in order of the text.
  public void walk(Consumer<Syntax> visitor) {
    visitor.accept(this);
    for (Syntax child : children) {
      child.walk(visitor);
    }
  }

  /// This node and everything below it, without going into functions and classes defined there.
  public void walkBody(Consumer<Syntax> visitor) {
    visitor.accept(this);
    for (Syntax child : children) {
      if (!child.is("function_definition") && !child.is("class_definition")) {
        child.walkBody(visitor);
      }
    }
  }

  public List<Syntax> all(String wanted) {
    List<Syntax> found = new ArrayList<>();
    walk(
        node -> {
          if (node.is(wanted)) {
            found.add(node);
          }
        });
    return found;
  }

  /// A callee or name with its parts: `torch.cuda.synchronize`, a call inside as `()`, a subscript
  /// as `[]`; empty where it is no name.
  public String dotted() {
    return switch (kind) {
      case "identifier" -> text();
      case "attribute" -> {
        String object = child("object").map(Syntax::dotted).orElse("");
        String name = child("attribute").map(Syntax::text).orElse("");
        yield object.isEmpty() ? "." + name : object + "." + name;
      }
      case "call" -> child("function").map(Syntax::dotted).orElse("") + "()";
      case "subscript" -> child("value").map(Syntax::dotted).orElse("") + "[]";
      case "parenthesized_expression" ->
          children.stream().map(Syntax::dotted).filter(t -> !t.isEmpty()).findFirst().orElse("");
      default -> "";
    };
  }
}
