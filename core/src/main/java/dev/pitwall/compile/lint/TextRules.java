package dev.pitwall.compile.lint;

import dev.pitwall.trace.python.SourceFile;
import dev.pitwall.trace.python.Syntax;
import java.util.ArrayList;
import java.util.List;

/// Matches the rules that need no knowledge of types: keywords, assignments, texts.
final class TextRules {
  private TextRules() {}

  /// Places of a file for a rule that holds anywhere.
  ///
  /// @param calls of the file
  /// @param compiles whether the file compiles anything
  static List<Syntax> matches(SourceFile file, Calls calls, LintRule rule, boolean compiles) {
    return switch (rule.match()) {
      case "call" -> calls.matching(rule);
      case "text" -> texts(file.root(), rule);
      case "assign" -> assignments(file.root(), rule);
      case "keyword" -> compileKeywords(file.root(), rule);
      case "syntax" -> firstBroken(file.root());
      case "compile_in_loop" -> compileInLoop(file.root());
      case "loader" -> compiles ? loaders(file.root()) : List.of();
      case "float_lr" ->
          file.text().matches("(?s).*torch\\.compile\\([^)]*(step|optim)[^)]*\\).*")
              ? floatRates(file.root())
              : List.of();
      default -> List.of();
    };
  }

  /// The first place where the file does not parse; what follows it may be a consequence.
  private static List<Syntax> firstBroken(Syntax root) {
    List<Syntax> broken = new ArrayList<>();
    root.walk(
        node -> {
          if (node.is(Syntax.BROKEN) || node.is(Syntax.MISSING)) {
            broken.add(node);
          }
        });
    return broken.stream().limit(1).toList();
  }

  private static List<Syntax> texts(Syntax root, LintRule rule) {
    List<Syntax> found = new ArrayList<>();
    root.walk(
        node -> {
          if ((node.is("string") || node.is("comment"))
              && rule.pattern().matcher(node.text()).find()) {
            found.add(node);
          }
        });
    return found;
  }

  private static List<Syntax> assignments(Syntax root, LintRule rule) {
    List<Syntax> found = new ArrayList<>();
    root.walk(
        node -> {
          if (node.is("assignment")
              && rule.pattern().matcher(node.text().replace(" ", "")).matches()) {
            found.add(node);
          }
        });
    return found;
  }

  /// Keywords of `torch.compile`.
  private static List<Syntax> compileKeywords(Syntax root, LintRule rule) {
    List<Syntax> found = new ArrayList<>();
    root.walk(
        node -> {
          if (node.is("call")
              && node.child("function").map(Syntax::dotted).orElse("").equals("torch.compile")) {
            for (Syntax argument :
                node.child("arguments").map(Syntax::children).orElse(List.of())) {
              String text = argument.text().replace(" ", "").replace('\'', '"');
              if (argument.is("keyword_argument") && rule.pattern().matcher(text).matches()) {
                found.add(argument);
              }
            }
          }
        });
    return found;
  }

  private static List<Syntax> compileInLoop(Syntax root) {
    List<Syntax> found = new ArrayList<>();
    root.walk(
        node -> {
          boolean repeats =
              node.is("for_statement")
                  || node.is("while_statement")
                  || node.is("function_definition")
                      && node.child("name").map(Syntax::text).orElse("").equals("forward");
          if (repeats) {
            node.child("body")
                .ifPresent(
                    body ->
                        body.walkBody(
                            inside -> {
                              if (inside.is("call")
                                  && inside
                                      .child("function")
                                      .map(Syntax::dotted)
                                      .orElse("")
                                      .equals("torch.compile")) {
                                found.add(inside);
                              }
                            }));
          }
        });
    return found;
  }

  private static List<Syntax> loaders(Syntax root) {
    List<Syntax> found = new ArrayList<>();
    root.walk(
        node -> {
          if (node.is("call")
              && node.child("function").map(Syntax::dotted).orElse("").matches("(.*\\.)?DataLoader")
              && !node.text().contains("drop_last")
              && node.text().contains("batch_size")) {
            found.add(node);
          }
        });
    return found;
  }

  private static List<Syntax> floatRates(Syntax root) {
    List<Syntax> found = new ArrayList<>();
    root.walk(
        node -> {
          if (node.is("call")
              && node.child("function")
                  .map(Syntax::dotted)
                  .orElse("")
                  .matches("(torch\\.)?optim\\.\\w+")
              && node.text().replace(" ", "").matches("(?s).*lr=[\\d.e-]+.*")) {
            found.add(node);
          }
        });
    return found;
  }
}
