package dev.pitwall.compile.lint;

import dev.pitwall.trace.python.SourceFile;
import dev.pitwall.trace.python.Syntax;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// Finds graph breaks, host waits and recompiles in source, for one version of PyTorch.
///
/// Breaks are looked for in functions that are known to be compiled: decorated with
/// `torch.compile`, passed to it, `forward` of a module that is, and what these call inside the
/// project. Waits are looked for in loops that call `backward` or an optimizer's `step`.
public final class Linter {
  private final Project project;
  private final TorchRelease version;
  private final Map<SourceFile, String[]> linesOf = new IdentityHashMap<>();
  private final Set<LintFinding> findings = new TreeSet<>(FINDING_ORDER);

  private static final java.util.Comparator<LintFinding> FINDING_ORDER =
      java.util.Comparator.<LintFinding>naturalOrder()
          .thenComparing(finding -> finding.rule().name());

  private Linter(List<SourceFile> files, TorchRelease version) {
    this.project = new Project(files);
    this.version = version;
  }

  /// Everything the rules have to say of these files, by path and line.
  public static List<LintFinding> lint(List<SourceFile> files, TorchRelease version) {
    Linter linter = new Linter(files, version);
    linter.compiledFunctions().forEach(linter::lintCompiled);
    linter.lintLoops();
    linter.lintAnywhere();
    return List.copyOf(linter.findings);
  }

  /// Compiled functions, with how that is known.
  private Map<Definition, String> compiledFunctions() {
    Map<Definition, String> known = new LinkedHashMap<>();
    Deque<Definition> open = new ArrayDeque<>();
    for (SourceFile file : project.files()) {
      findRoots(file, project.definition(file, file.root()), file.root(), known);
    }
    open.addAll(known.keySet());
    while (!open.isEmpty()) {
      Definition caller = open.poll();
      caller
          .body()
          .walk(
              node -> {
                if (!node.is("call")) {
                  return;
                }
                Syntax callee = node.child("function").orElse(node);
                for (Definition called : project.callables(caller.file, caller, callee)) {
                  if (!called.isDisabled() && !known.containsKey(called)) {
                    known.put(called, "called by " + caller.name + ", which is compiled");
                    open.add(called);
                  }
                }
              });
    }
    return known;
  }

  private void findRoots(
      SourceFile file, Definition around, Syntax node, Map<Definition, String> known) {
    for (Syntax child : node.children()) {
      Definition inside = around;
      if (child.is("function_definition")) {
        inside = project.definition(file, child);
      }
      if (child.is("decorated_definition")
          && child.children().stream()
              .anyMatch(
                  part ->
                      part.is("decorator")
                          && part.text()
                              .matches("(?s)@torch\\.(compile|_dynamo\\.optimize)\\b.*"))) {
        child
            .child("definition")
            .ifPresent(
                definition ->
                    known.put(
                        project.definition(file, definition), "decorated with torch.compile"));
      } else if (child.is("call")) {
        String callee = child.child("function").map(Syntax::dotted).orElse("");
        int line = child.line();
        if (callee.equals("torch.compile") || callee.equals("torch._dynamo.optimize()")) {
          for (Syntax argument : Project.arguments(child)) {
            project
                .callables(file, around, argument)
                .forEach(found -> known.putIfAbsent(found, "compiled in line " + line));
          }
        } else if (callee.endsWith(".compile") && !callee.startsWith("re.")) {
          Syntax function = child.child("function").orElse(child);
          function
              .child("object")
              .ifPresent(
                  object ->
                      project
                          .callables(file, around, object)
                          .forEach(found -> known.putIfAbsent(found, "compiled in line " + line)));
        }
      }
      findRoots(file, inside, child, known);
    }
  }

  private void lintCompiled(Definition function, String because) {
    TensorFlow flow = new TensorFlow(function, project.methodsOf(function.owner));
    CompiledRules matcher = new CompiledRules(project, function, flow);
    for (LintRule rule : rules("compiled")) {
      matcher
          .matches(rule)
          .forEach(node -> report(rule, function.file, node, function.name, because));
    }
  }

  private void lintLoops() {
    for (SourceFile file : project.files()) {
      file.root()
          .walk(
              node -> {
                if ((node.is("for_statement") || node.is("while_statement")) && isTraining(node)) {
                  Calls calls = Calls.below(node);
                  for (LintRule rule : rules("loop")) {
                    calls
                        .matching(rule)
                        .forEach(
                            call ->
                                report(
                                    rule,
                                    file,
                                    call,
                                    "",
                                    "in the training loop of line " + node.line()));
                  }
                }
              });
    }
  }

  private static boolean isTraining(Syntax loop) {
    return loop.all("call").stream()
        .map(call -> call.child("function").map(Syntax::dotted).orElse(""))
        .anyMatch(name -> name.endsWith(".backward") || name.endsWith("optimizer.step"));
  }

  private void lintAnywhere() {
    Set<String> seen = new HashSet<>();
    for (SourceFile file : project.files()) {
      Calls calls = Calls.below(file.root());
      boolean compiles = file.text().contains("torch.compile");
      for (LintRule rule : rules("anywhere")) {
        for (Syntax node : TextRules.matches(file, calls, rule, compiles)) {
          if (seen.add(rule.name() + file.path() + node.line())) {
            report(rule, file, node, "", "");
          }
        }
      }
    }
  }

  private List<LintRule> rules(String scope) {
    return LintRule.all().stream()
        .filter(rule -> rule.scope().equals(scope) && rule.appliesTo(version))
        .collect(Collectors.toCollection(ArrayList::new));
  }

  private void report(
      LintRule rule, SourceFile file, Syntax node, String function, String because) {
    String[] lines = linesOf.computeIfAbsent(file, unseen -> unseen.text().split("\n", -1));
    String code = node.line() <= lines.length ? lines[node.line() - 1].strip() : "";
    findings.add(
        new LintFinding(rule, file.path(), node.line(), node.column(), function, because, code));
  }
}
