package dev.pitwall.compile.lint;

import dev.pitwall.trace.python.SourceFile;
import dev.pitwall.trace.python.Syntax;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Matches the rules that need no knowledge of types: calls by name, keywords, assignments, texts.
final class TextRules {
  private TextRules() {}

  /// Calls below a node whose callee (rule `call`) or method (rule `method`) has the rule's name.
  static List<Syntax> calls(Syntax scope, LintRule rule) {
    List<Syntax> found = new ArrayList<>();
    Map<String, String> aliases = aliases(scope);
    scope.walk(
        node -> {
          if (!node.is("call")) {
            return;
          }
          Syntax callee = node.child("function").orElse(node);
          boolean matches;
          if (rule.match().equals("method")) {
            matches =
                callee.is("attribute")
                    && rule.pattern()
                        .matcher(callee.child("attribute").map(Syntax::text).orElse(""))
                        .matches();
          } else {
            matches = rule.pattern().matcher(resolved(callee.dotted(), aliases)).matches();
          }
          if (matches) {
            found.add(node);
          }
        });
    return found;
  }

  private static String resolved(String dotted, Map<String, String> aliases) {
    int dot = dotted.indexOf('.');
    String first = dot < 0 ? dotted : dotted.substring(0, dot);
    String alias = aliases.get(first);
    return alias == null || dot < 0 ? dotted : alias + dotted.substring(dot);
  }

  /// Names that stand for a logger.
  private static Map<String, String> aliases(Syntax scope) {
    Map<String, String> aliases = new HashMap<>();
    aliases.put("logger", "logging.getLogger()");
    aliases.put("log", "logging.getLogger()");
    scope.walk(
        node -> {
          if (node.is("assignment")) {
            String value = node.child("right").map(Syntax::dotted).orElse("");
            if (value.equals("logging.getLogger()")) {
              node.child("left").ifPresent(left -> aliases.put(left.text(), value));
            }
          }
        });
    return aliases;
  }

  /// Places of a file for a rule that holds anywhere.
  ///
  /// @param compiles whether the file compiles anything
  static List<Syntax> matches(SourceFile file, LintRule rule, boolean compiles) {
    return switch (rule.match()) {
      case "call" -> calls(file.root(), rule);
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
