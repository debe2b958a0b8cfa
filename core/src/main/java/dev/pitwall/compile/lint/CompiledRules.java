package dev.pitwall.compile.lint;

import dev.pitwall.trace.python.Syntax;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/// Matches the rules for compiled code in one function.
final class CompiledRules {
  private final Project project;
  private final Definition function;
  private final TensorFlow flow;
  private final Calls calls;

  CompiledRules(Project project, Definition function, TensorFlow flow) {
    this.project = project;
    this.function = function;
    this.flow = flow;
    this.calls = Calls.below(function.node);
  }

  List<Syntax> matches(LintRule rule) {
    List<Syntax> found = new ArrayList<>();
    switch (rule.match()) {
      case "call", "method" -> found.addAll(calls.matching(rule));
      case "branch" -> branches(found);
      case "conversion" -> conversions(found);
      case "mask" -> masks(found);
      case "requires_grad" -> gradientTensors(found);
      case "disabled" -> disabledCallees(found);
      case "counter" -> counters(found);
      default -> {
        // A rule of another scope.
      }
    }
    return found;
  }

  /// Branches whose test is a tensor; a test that reads a value off the device is reported as that.
  private void branches(List<Syntax> found) {
    function
        .body()
        .walk(
            node -> {
              boolean branches =
                  node.is("if_statement")
                      || node.is("while_statement")
                      || node.is("elif_clause")
                      || node.is("conditional_expression");
              if (!branches) {
                return;
              }
              Syntax test =
                  node.is("conditional_expression")
                      ? node.children().size() > 1 ? node.children().get(1) : node
                      : node.child("condition").orElse(node);
              if (test != node && flow.isTensor(test)) {
                found.add(test);
              }
            });
  }

  private void conversions(List<Syntax> found) {
    function
        .body()
        .walk(
            node -> {
              if (node.is("call")
                  && node.child("function")
                      .map(Syntax::text)
                      .orElse("")
                      .matches("float|int|bool")) {
                List<Syntax> arguments = Project.arguments(node);
                if (arguments.size() == 1 && flow.isTensor(arguments.getFirst())) {
                  found.add(node);
                }
              }
            });
  }

  /// `x[x > 0]`, and `torch.where` with the condition alone.
  private void masks(List<Syntax> found) {
    Set<Syntax> stored = Collections.newSetFromMap(new IdentityHashMap<>());
    function
        .body()
        .walk(
            node -> {
              if (node.is("assignment") || node.is("augmented_assignment")) {
                node.child("left").ifPresent(stored::add);
              }
            });
    function
        .body()
        .walk(
            node -> {
              if (node.is("subscript")) {
                Syntax index = node.child("subscript").orElse(node);
                boolean isStore = stored.contains(node);
                boolean comparesItself =
                    !index.children().isEmpty()
                        && index
                            .children()
                            .getFirst()
                            .text()
                            .equals(node.child("value").map(Syntax::text).orElse(" "));
                if (index.is("comparison_operator")
                    && (comparesItself || flow.isTensor(index))
                    && !isStore) {
                  found.add(node);
                }
              } else if (node.is("call")
                  && node.child("function").map(Syntax::dotted).orElse("").equals("torch.where")
                  && Project.arguments(node).size() == 1) {
                found.add(node);
              }
            });
  }

  private void gradientTensors(List<Syntax> found) {
    function
        .body()
        .walk(
            node -> {
              if (!node.is("call")) {
                return;
              }
              String callee = node.child("function").map(Syntax::dotted).orElse("");
              boolean keyword =
                  callee.startsWith("torch.")
                      && node.child("arguments")
                          .map(Syntax::text)
                          .orElse("")
                          .replace(" ", "")
                          .contains("requires_grad=True");
              if (keyword || callee.endsWith(".requires_grad_")) {
                found.add(node);
              }
            });
  }

  private void disabledCallees(List<Syntax> found) {
    function
        .body()
        .walk(
            node -> {
              if (node.is("call")) {
                Syntax callee = node.child("function").orElse(node);
                for (Definition called : project.callables(function.file, function, callee)) {
                  if (called.isDisabled()) {
                    found.add(node);
                  }
                }
              }
            });
  }

  /// `self.step += 1` in a module's own code.
  private void counters(List<Syntax> found) {
    if (function.owner.isEmpty()) {
      return;
    }
    function
        .body()
        .walk(
            node -> {
              if (node.is("augmented_assignment")
                  && node.child("left").map(Syntax::dotted).orElse("").matches("self\\.\\w+")
                  && node.child("right").map(Syntax::kind).orElse("").matches("integer|float")) {
                found.add(node);
              }
            });
  }
}
